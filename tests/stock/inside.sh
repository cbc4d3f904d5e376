#!/bin/sh
# What tests/stock/run.sh runs in the container: one line for each check, and status 1 when one failed.
# sh inside.sh namespaces|landlock: what the container leaves to build sandboxes of.
isolation=$1
mxc=/given/mxc-exec
. /given/check.sh

useradd -m tester 2>/dev/null
sleep 600 &
outside=$!
for caller in root tester; do
  as() { if test "$caller" = root; then sh -c "$1"; else su -s /bin/sh "$caller" -c "$1"; fi; }
  work=$(as 'mktemp -d')
  as "cd $work && git init -q . && git config user.name T && git config user.email t@example.org"
  echo secret >/srv/secret && chmod 644 /srv/secret

  check "$caller: a command runs" '0 inside*' "$(as "cd $work && $mxc -- echo inside; echo \$?" 2>&1 | sort | tr '\n' ' ')"
  check "$caller: what is not granted is out of reach" '*denied*|*No such file*' "$(as "cd $work && $mxc -- cat /srv/secret" 2>&1)"
  check "$caller: a repository can be granted, and git works" '*1 file changed*' \
    "$(as "cd $work && $mxc --rw . -- sh -c 'mkdir -p new && echo a >new/a && git add new && git -c user.name=T -c user.email=t@e.org commit -m a'" 2>&1)"
  check "$caller: what git obeys is what it was" 'same' \
    "$(as "cd $work && cp -a .git /tmp/before-$caller
      $mxc --rw . -- sh -c 'echo x >>.git/config; echo x >.git/hooks/pre-commit; chmod 755 .git/hooks/*; mkdir -p .git/commondir' >/dev/null 2>&1
      diff -r .git/hooks /tmp/before-$caller/hooks && cmp .git/config /tmp/before-$caller/config && test ! -e .git/commondir &&
      test ! -x .git/hooks/pre-commit.sample -o -x /tmp/before-$caller/hooks/pre-commit.sample && echo same" 2>&1)"
  check "$caller: a denied path is held below a read-only grant" '*denied*' \
    "$(as "cd $work && echo k >.env && $mxc --ro . --deny .env -- cat .env" 2>&1)"
  check "$caller: no process outside is seen" '*gone' "$(as "cd $work && $mxc -- sh -c 'kill -0 $outside || echo gone'" 2>&1)"
  check "$caller: no process outside can be read" '*denied*|*No such file*' "$(as "cd $work && $mxc -- cat /proc/$outside/cmdline" 2>&1)"
  check "$caller: there is no network" '*refused*' \
    "$(as "cd $work && $mxc -- python3 -c 'import socket
try: socket.create_connection((\"192.0.2.1\", 80), 2)
except OSError: print(\"refused\")'" 2>&1)"
  check "$caller: nothing outlives the command" '*gone' \
    "$(as "cd $work && $mxc -- sh -c 'setsid sleep 60 >/dev/null 2>&1 & sleep 0.2'; test \$(grep -lsx sleep /proc/[0-9]*/comm | wc -l) = 1 && echo gone" 2>&1)"
  check "$caller: a persistent sandbox is refused with the reason" '*one command*|*each command*|*systempaths*|*namespaces*' \
    "$(as "cd $work && $mxc start --rw ." 2>&1)"
  check "$caller: --probe says how far" "*$isolation*" "$(as "$mxc --probe" 2>&1 | tr -d '\n ')"
  if test "$isolation" = landlock; then
    check "$caller: its isolation is Landlock" '*"backend":"landlock"*' "$(as "cd $work && $mxc --status-fd 1 -- true" 2>&1 | tail -1)"
    check "$caller: host rules are refused" '*network namespace*' \
      "$(as "cd $work && $mxc --rw . --allow-host registry.npmjs.org -- echo ran" 2>&1)"
    continue
  fi
  check "$caller: its isolation is namespaces" '*"backend":"namespaces"*"rung":"namespaces-outer-proc"*' \
    "$(as "cd $work && $mxc --status-fd 1 -- true" 2>&1 | tail -1)"
  check "$caller: no capability is left" '*0000000000000000' \
    "$(as "cd $work && $mxc -- python3 -c 'print([l for l in open(\"/proc/self/status\") if l.startswith(\"CapEff\")][0].strip())'" 2>&1)"
  check "$caller: its configuration is held" '*Read-only*' "$(as "cd $work && $mxc --rw . -- sh -c 'echo x >.git/config'" 2>&1)"
  check "$caller: a denied path is held below a read-write grant" '*denied*' \
    "$(as "cd $work && $mxc --rw . --deny .env -- cat .env" 2>&1)"
  check "$caller: host rules have a gateway" 'ran' \
    "$(as "cd $work && $mxc --rw . --allow-host registry.npmjs.org -- echo ran" 2>&1)"
done
kill $outside
exit $failed
