# Run by tests/package/deb.sh, as root of a root whose changes are in /mnt/mnt/up.
cd /
fail() {
  echo "$*" >&2
  exit 1
}
# A device stands for what was removed: directories that were empty, and that the empty list of packages knows no owner of.
changes() { (cd /mnt/mnt/up && find . ! -type d ! -type c -print | grep -v -e '^./opt/test/' -e '^./var/log/' -e '^./var/lib/dpkg/' || true); }
install() { dpkg --admindir=/opt/test/dpkg --install /opt/test/mxc-exec.deb >/opt/test/log 2>&1 || fail "$(cat /opt/test/log)"; }
mkdir -p /opt/test/dpkg/info /opt/test/dpkg/updates /opt/test/dpkg/triggers
touch /opt/test/dpkg/status /opt/test/dpkg/available

install
test "$(command -v mxc-exec)" = /usr/bin/mxc-exec || fail "mxc-exec is $(command -v mxc-exec)"
mkdir -p "/opt/test/a project"
cd "/opt/test/a project"
echo secret >.env
test "$(mxc-exec --rw . --deny .env -- sh -c 'echo made >file; cat .env 2>/dev/null; echo status $?')" = "status 1" ||
  fail "the sandbox does not hold"
test "$(cat file)" = made || fail "the command wrote nothing"
echo '{"version": "1.0.0", "process": {"argv": ["echo", "from a file"]}}' >policy.json
test "$(lxc-exec policy.json)" = "from a file" || fail "lxc-exec runs no policy"
test "$(MXC_POLICY=$PWD/policy.json mxc-sh 'echo from a shell')" = "from a shell" || fail "mxc-sh runs nothing"
for file in man/man1/mxc-exec.1.gz man/man1/lxc-exec.1.gz man/man1/mxc-sh.1.gz man/man5/mxc-policy.5.gz doc/mxc-exec/copyright doc/mxc-exec/README.md \
  doc/mxc-exec/schemas/examples/npm-test.json mxc-exec/schemas/dev/mxc-exec.json bash-completion/completions/lxc-exec \
  zsh/vendor-completions/_mxc-exec fish/vendor_completions.d/mxc-exec.fish; do
  test -s "/usr/share/$file" || fail "there is no /usr/share/$file"
done
test -s /usr/include/mxc/ffi.h || fail "there is no header of the library"
if command -v python3 >/dev/null; then
  python3 -c 'import ctypes; assert b"bubblewrap" in ctypes.string_at(ctypes.CFUNCTYPE(ctypes.c_void_p)(("mxc_available_backends_json", ctypes.CDLL("libmxc_ffi.so")))())' ||
    fail "the library is not found, or finds no program"
fi
cd /
test ! -e /etc/apparmor.d/mxc-exec || fail "there is a profile where nothing restricts user namespaces"
dpkg --admindir=/opt/test/dpkg --purge mxc-exec >/dev/null 2>&1
test -z "$(changes)" || fail "the package leaves behind: $(changes)"

# A host that restricts user namespaces, and a parser that writes down what it is asked.
mount -t tmpfs none /proc/sys/kernel
echo 1 >/proc/sys/kernel/apparmor_restrict_unprivileged_userns
mkdir -p /etc/apparmor.d
printf '#!/bin/sh\necho "$*" >>/opt/test/asked\n' >/usr/local/sbin/apparmor_parser
chmod +x /usr/local/sbin/apparmor_parser
install
grep -q 'userns,' /etc/apparmor.d/mxc-exec || fail "there is no profile"
grep -q -e '--replace.* /etc/apparmor.d/mxc-exec' /opt/test/asked || fail "the profile is not loaded: $(cat /opt/test/asked)"
dpkg --admindir=/opt/test/dpkg --remove mxc-exec >/dev/null 2>&1
grep -q -e '--remove /etc/apparmor.d/mxc-exec' /opt/test/asked || fail "the profile stays loaded: $(cat /opt/test/asked)"
test ! -e /etc/apparmor.d/mxc-exec || fail "the profile is left"
echo '# of the administrator' >/etc/apparmor.d/mxc-exec
install
grep -q administrator /etc/apparmor.d/mxc-exec || fail "the administrator's profile was overwritten"
dpkg --admindir=/opt/test/dpkg --purge mxc-exec >/dev/null 2>&1
grep -q administrator /etc/apparmor.d/mxc-exec || fail "the administrator's profile was removed"
