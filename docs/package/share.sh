#!/bin/sh
# The part of an installation that is made from documents and from a program's help: share.sh PROGRAM COMPILER SHARE
# MXC_PACKAGE=1: fail, rather than leave something out, where a tool is missing.
set -eu
program=$1 compiler=$2 share=$3
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)

without() { # without WHAT REASON
  test "${MXC_PACKAGE:-0}" != 1 || { echo "No $1: $2" >&2; exit 1; }
  echo "-- Left out: $1 ($2)"
}
make() { # make SCRIPT ARGUMENT...
  script=$1
  shift
  python3 -B "$here/$script" "$@"
}

ln -sfn ../../mxc-exec/schemas "$share/doc/mxc-exec/schemas"
if ! command -v python3 >/dev/null; then
  without "completions and manual pages" "python3 is not installed"
elif test -z "$program"; then
  without "completions and manual pages" "the program does not run here; see MXC_DESCRIBED_BY"
else
  make components.py licences "$source/LICENSE" "$compiler" "$source/build/tools" "$share/doc/mxc-exec/copyright"
  make completions.py "$program" "$share"
  if command -v lowdown >/dev/null; then
    make manual.py "$program" "$source" "$share"
  else
    without "manual pages" "lowdown is not installed"
  fi
fi
