#!/bin/sh
# Process 1 of a pod: makes the root of the image and the pod's volumes, in the namespaces that node.py has made.
#
#   pod.sh DIRECTORY PROGRAM [VOLUME PATH]...
#
# The image is the root file system of this machine, read-only, with PROGRAM as /usr/local/bin/mxc-exec. DIRECTORY has `hosts`.
set -eu
directory=$1
program=$2
shift 2
mount -t tmpfs -o mode=0755 pod "$directory/root"
mkdir "$directory/root/upper" "$directory/root/scratch" "$directory/root/all" "$directory/root/empty"
root=$directory/root/all
mount -t overlay -o "lowerdir=/,upperdir=$directory/root/upper,workdir=$directory/root/scratch" image "$root"
mkdir -p "$root/usr/local/bin" "$root/proc" "$root/sys" "$root/dev" "$root/.outside"
cp "$program" "$root/usr/local/bin/mxc-exec"
chmod 0755 "$root/usr/local/bin/mxc-exec"
cp "$directory/hosts" "$root/etc/hosts"
rm -f "$root/etc/resolv.conf"
: >"$root/etc/resolv.conf"
mount --bind "$directory/root/empty" "$root/tmp"
while test $# -gt 0; do
  mkdir -p "$root$2"
  mount --bind "$1" "$root$2"
  shift 2
done
mount -o remount,bind,ro "$root"
mount -t proc proc "$root/proc"
mount -t sysfs -o ro sys "$root/sys"
mount -t tmpfs -o mode=0755,size=64k dev "$root/dev"
for device in null zero full random urandom tty; do
  : >"$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
mkdir "$root/dev/shm" "$root/dev/pts"
mount -t tmpfs -o mode=1777,size=64m shm "$root/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666,mode=0620 devpts "$root/dev/pts"
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"
cd "$root"
pivot_root . .outside
umount -l /.outside
: >/dev/shm/.ready
exec sleep infinity
