#!/bin/sh
# Becomes the program, so that signals, open files and the exit status are its own. A launcher in JavaScript would be a process
# in between: when it is killed, the sandbox would go on.
case $(uname -sm) in
  "Linux x86_64") package=mxc-exec-linux-x64 ;;
  "Linux aarch64") package=mxc-exec-linux-arm64 ;;
  *) echo "mxc-exec: there is no package for $(uname -sm)" >&2; exit 255 ;;
esac
here=$(dirname "$(dirname "$(readlink -f "$0")")") # node_modules/.bin holds a link
folder=$here
while :; do # the folders in which node looks
  program=$folder/node_modules/$package/bin/mxc-exec
  if [ -x "$program" ]; then exec "$program" "$@"; fi
  if [ "$folder" = / ]; then break; fi
  folder=$(dirname "$folder")
done
echo "mxc-exec: $package is not installed; npm leaves it out with --omit=optional" >&2
exit 255
