#!/bin/sh
# Runs a Windows program of the tests: wine.sh PROGRAM.exe ARGUMENTS...
# The prefix, a Windows 10 of its own, is made by the first call.
set -eu
export WINEDEBUG=-all WINEARCH=win64 WINEPREFIX="${MXC_WINEPREFIX:-${TMPDIR:-/tmp}/mxc-wine-$(id -u)}"
unset DISPLAY
export LC_ALL=C.UTF-8 # Wine takes the encoding of file names from it
mkdir -p "$WINEPREFIX"
exec 9>"$WINEPREFIX/.mxc-lock"
if test ! -e "$WINEPREFIX/.mxc-ready"; then
  flock 9
  if test ! -e "$WINEPREFIX/.mxc-ready"; then
    wineboot -i >/dev/null 2>&1 </dev/null
    wine reg add 'HKCU\Software\Wine' /v Version /t REG_SZ /d win10 /f >/dev/null 2>&1 </dev/null
    wineserver -w
    touch "$WINEPREFIX/.mxc-ready"
  fi
fi
exec 9>&-
exec wine "$@"
