#!/bin/sh
# What tests/stock/machine.sh runs in the machine, as root in a service: limits, as systemd's rules have them.
. /given/check.sh
mxc=/given/mxc-exec
work=$(mktemp -d)
chmod 1777 "$work"
uid=$(id -u tester)
loginctl enable-linger tester # a session of `su -` alone starts no manager in time
until test -S "/run/user/$uid/bus"; do sleep 1; done

echo '{"version":"1.0.0","process":{"commandLine":"while :; do :; done"},"resources":{"cpuTimeMs":300}}' >"$work/time.json"
cat >"$work/crowd.json" <<'JSON'
{"version":"1.0.0","process":{"commandLine":"for i in 1 2 3 4 5 6 7 8 9 10 11 12; do sleep 2 & done; wait"},"resources":{"processes":6}}
JSON
chmod a+r "$work"/*

# Callers, each of which runs $work/line (systemd-run expands what looks like a variable). The processes of the last one's unit
# stand aside, so that its group can hand controllers down.
session() { su - tester -c "sh $work/line"; }
unit_of_user() { su - tester -c "XDG_RUNTIME_DIR=/run/user/$uid systemd-run --user --quiet --pipe --wait --collect sh $work/line"; }
root_session() { su - root -c "sh $work/line"; }
service() { systemd-run --quiet --pipe --wait --collect sh "$work/line"; }
delegated() { systemd-run --quiet --pipe --wait --collect -p Delegate=yes sh "$work/aside"; }
cat >"$work/aside" <<SH
group=/sys/fs/cgroup\$(cut -d: -f3 /proc/self/cgroup)
mkdir "\$group/aside"
echo \$\$ >"\$group/aside/cgroup.procs"
echo +memory +cpu +pids >"\$group/cgroup.subtree_control"
. $work/line
SH
by() { # CALLER LINE
  printf "%s\n" "$2" >"$work/line"
  "$1"
}

groups_left() { find /sys/fs/cgroup -type d -name 'mxc-*' | tr '\n' ' '; }
# Every group is gone a moment after the run: systemd takes a scope away when it hears that it is empty.
check_gone() {
  tries=0
  while test -n "$(groups_left)" && test $tries -lt 50; do tries=$((tries + 1)); sleep 0.2; done
  check "$1" '' "$(groups_left)"
}

in_app='/user.slice/user-*.slice/user@*.service/app.slice/mxc-*.scope/mxc-*/run'
for caller in session unit_of_user root_session service delegated; do
  case $caller in
    session | unit_of_user) where="0::$in_app" ;;
    root_session) where='0::/user.slice/user-0.slice/mxc-*.scope/mxc-*/run' ;;
    service) where='0::/system.slice/mxc-*.scope/mxc-*/run' ;;
    delegated) where='0::/system.slice/run-*.service/mxc-*/run' ;;
  esac
  check "$caller: more memory than it may have ends it" '*137*' \
    "$(by $caller "$mxc --memory 64M -- python3 -c \"b = b'x' * 300000000\"; echo \$?" 2>&1 | tr '\n' ' ')"
  check "$caller: processor time" '*152*' "$(by $caller "$mxc $work/time.json; echo \$?" 2>&1 | tr '\n' ' ')"
  check "$caller: processes" '*limit of 6 processes*' "$(by $caller "$mxc $work/crowd.json" 2>&1 | tr '\n' ' ')"
  check "$caller: part of a processor" '*0' "$(by $caller "$mxc --cpus 0.5 -- true; echo \$?" 2>&1)"
  for containment in namespaces bubblewrap lxc; do
    check "$caller: $containment" '*0' "$(by $caller "$mxc --containment $containment --memory 64M -- true; echo \$?" 2>&1)"
  done
  check "$caller: --probe says so" '*"name":"memory","held":true*' \
    "$(by $caller "$mxc --probe=json" 2>/dev/null | tr -d ' \n' | sed 's/.*"backend":"namespaces"//')"

  by $caller "$mxc --memory 64M --status-fd 3 -- sleep 60 3>$work/status-$caller & echo \$! >$work/launcher-$caller
    cat /proc/self/cgroup >$work/own-$caller; wait" >/dev/null 2>&1 &
  until grep -q '"started"' "$work/status-$caller" 2>/dev/null; do sleep 0.2; done
  launcher=$(cat "$work/launcher-$caller")
  inside=$(sed -n 's/.*"started".*"pid":\([0-9]*\).*/\1/p' "$work/status-$caller")
  check "$caller: the command is in a group where systemd lets it be" "$where" "$(cat "/proc/$inside/cgroup")"
  check "$caller: the launcher stays where it was" "$(cat "$work/own-$caller")" "$(cat "/proc/$launcher/cgroup")"
  kill -KILL "$launcher"
  wait
  check_gone "$caller: nothing is left of a run that was killed"
done
check "no unit is left" '*0 loaded units*' "$(systemctl list-units --all 'mxc-*')"

# A user whose manager does not run, and one whose manager does not answer: the same reason everywhere.
useradd -u 1777 nobodys
nobodys() { setpriv --reuid 1777 --regid 1777 --clear-groups sh -c "$1" 2>&1 | tr '\n' ' '; }
reason='*manager does not run (/run/user/1777/bus)*'
check "no manager: a run is refused" "$reason" "$(nobodys "$mxc --memory 64M -- echo ran")"
check "no manager: --explain says why" "$reason" "$(nobodys "$mxc --explain --memory 64M -- echo ran")"
check "no manager: --probe says why" "$reason" "$(nobodys "$mxc --probe=json")"
check "no manager: what needs no group is held" '*ran*' "$(nobodys "$mxc -- echo ran")"
manager=$(systemctl show -P MainPID "user@$uid.service")
kill -STOP "$manager"
began=$(date +%s)
check "a manager that does not answer refuses the run" '*its manager does not answer*' \
  "$(setpriv --reuid "$uid" --regid "$uid" --clear-groups $mxc --memory 64M -- echo ran 2>&1 | tr '\n' ' ')"
check "... in seconds" "*[0-9]" "$(($(date +%s) - began))"
kill -CONT "$manager"
check_gone "nothing is left of that"

# For people: what a scope costs.
cat >"$work/times" <<'SH'
for flags in "" "--memory 64M"; do
  began=$(date +%s%N)
  for i in 1 2 3 4 5 6 7 8 9 10; do /given/mxc-exec $flags -- true 2>/dev/null; done
  echo "        a run${flags:+ with $flags}: $((($(date +%s%N) - began) / 10000000)) ms"
done
SH
for caller in session service; do echo "times   $caller"; by $caller "sh $work/times"; done
exit $failed
