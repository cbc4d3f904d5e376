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
folder=$here
while :; do # the folders in which node looks
  program=$folder/node_modules/$package/bin/$name
  if [ -x "$program" ]; then exec "$program" "$@"; fi
  if [ "$folder" = / ]; then break; fi
  folder=$(dirname "$folder")
done
echo "$name: $package is not installed; npm leaves it out with --omit=optional" >&2
exit 255
