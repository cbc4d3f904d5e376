#!/bin/sh
# The program where most people have it installed: sh tests/stock/machine.sh [PROGRAM]. In a Debian 12 with its own kernel, systemd,
# users' managers and control groups of version 2, booted by QEMU; PROGRAM (build/release/mxc-exec) must be linked statically.
# Needs root, and a Debian mirror for the image, which stays in build/stock/machine. Without KVM it takes about ten minutes.
set -eu
cd "$(dirname "$0")/../.."
. tests/steps.sh
. tests/packages.sh
need qemu-system-x86_64 qemu-system-x86
need debootstrap debootstrap
need mke2fs e2fsprogs
install_needed
program=${1:-build/release/mxc-exec}
machine=build/stock/machine
root=$machine/root
if ! test -e "$machine/.complete"; then
  mkdir -p "$machine"
  rm -rf "$root"
  step "make a Debian 12 with its kernel" debootstrap --variant=minbase \
    --include=systemd,systemd-sysv,dbus,dbus-user-session,libpam-systemd,apparmor,linux-image-amd64,procps,kmod,python3,git,bubblewrap,lxc \
    bookworm "$root"
  chroot "$root" useradd -m tester
  touch "$machine/.complete"
fi

rm -rf "$root/given"
mkdir "$root/given"
cp "$program" "$root/given/mxc-exec"
cp tests/stock/in_machine.sh tests/stock/check.sh "$root/given"
chmod -R a+rX "$root/given"
# Its second serial line is where the answers go; what comes last is the status.
cat >"$root/etc/systemd/system/given.service" <<'UNIT'
[Unit]
After=multi-user.target systemd-user-sessions.service
[Service]
Type=oneshot
ExecStart=/bin/sh -c 'stty -F /dev/ttyS1 raw; sh /given/in_machine.sh >/dev/ttyS1 2>&1; echo "status $?" >/dev/ttyS1'
ExecStopPost=/bin/systemctl poweroff --no-block
TimeoutStartSec=infinity
[Install]
WantedBy=multi-user.target
UNIT
ln -sf ../given.service "$root/etc/systemd/system/multi-user.target.wants/given.service"

rm -f "$machine/disk" "$machine/console" "$machine/answers"
step "make its disk" mke2fs -q -t ext4 -d "$root" "$machine/disk" 3G
# KVM inside a virtual machine may hang where it pretends to work: MXC_KVM=1 asks for it.
accelerator=tcg,thread=multi
test -z "${MXC_KVM-}" || accelerator=kvm
step "boot it and run the checks" timeout 3600 qemu-system-x86_64 -M q35 -accel "$accelerator" -smp 2 -cpu max -m 2048 \
  -nodefaults -display none -no-reboot -serial "file:$machine/console" -serial "file:$machine/answers" \
  -kernel "$(echo "$root"/boot/vmlinuz-*)" -initrd "$(echo "$root"/boot/initrd.img-*)" \
  -append "root=/dev/vda rw console=ttyS0 quiet mitigations=off apparmor=1 security=apparmor" \
  -drive "file=$machine/disk,format=raw,if=virtio" -device virtio-rng-pci
cat "$machine/answers"
case $(tail -n 1 "$machine/answers") in
  "status 0") ;;
  *) echo "A check failed, or the machine did; what it said is in $machine/console." >&2; exit 1 ;;
esac
