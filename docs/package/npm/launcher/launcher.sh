#!/bin/sh
# Becomes the program, so that signals, open files and the exit status are its own. A launcher in JavaScript would be a process
# in between: when it is killed, the sandbox would go on. The program takes its first argument for its name, so there is a file of
# either name.
case $(uname -sm) in
  "Linux x86_64") package=mxc-exec-linux-x64 ;;
  "Linux aarch64") package=mxc-exec-linux-arm64 ;;
  *) echo "mxc-exec: there is no package for $(uname -sm)" >&2; exit 255 ;;
esac
case ${0##*/} in mxc-sh) name=mxc-sh ;; *) name=mxc-exec ;; esac
here=$(dirname "$(dirname "$(readlink -f "$0")")") # node_modules/.bin holds a link
# npm, pnpm and Yarn put it into one of these two. Both are held during a run; in a folder further up, where node looks as well, a
# command could have put one.
for folder in "$here/node_modules" "$(dirname "$here")"; do
  program=$folder/$package/bin/$name
  if [ -x "$program" ]; then exec "$program" "$@"; fi
done
echo "$name: $package is not installed beside it; npm leaves it out with --omit=optional" >&2
exit 255
