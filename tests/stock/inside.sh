#!/bin/sh
# What tests/stock/run.sh runs in the container: one line for each check, and status 1 when one failed.
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
  check "$caller: its isolation is namespaces" '*"backend":"namespaces"*"rung":"namespaces-outer-proc"*' \
    "$(as "cd $work && $mxc --status-fd 1 -- true" 2>&1 | tail -1)"
  check "$caller: what is not granted is out of reach" '*No such file*' "$(as "cd $work && $mxc -- cat /srv/secret" 2>&1)"
  check "$caller: a repository can be granted, and git works" '*1 file changed*' \
    "$(as "cd $work && $mxc --rw . -- sh -c 'echo a >a && git add a && git -c user.name=T -c user.email=t@e.org commit -m a'" 2>&1)"
  check "$caller: its configuration is held" '*Read-only*' "$(as "cd $work && $mxc --rw . -- sh -c 'echo x >.git/config'" 2>&1)"
  check "$caller: a denied path is held" '*denied*' \
    "$(as "cd $work && echo k >.env && $mxc --rw . --deny .env -- cat .env" 2>&1)"
  check "$caller: host rules have a gateway" 'ran' \
    "$(as "cd $work && $mxc --rw . --allow-host registry.npmjs.org -- echo ran" 2>&1)"
  check "$caller: no process outside is seen" '*gone' "$(as "cd $work && $mxc -- sh -c 'kill -0 $outside || echo gone'" 2>&1)"
  check "$caller: --probe says how far" '*namespaces-outer-proc*' "$(as "$mxc --probe" 2>&1 | tr -d '\n ')"
done
kill $outside
exit $failed
