#!/bin/sh
# Formats the manual pages: sh tests/package/manual.sh SHARE, what is installed as /usr/share
set -eu
share=$(realpath "$1")
status=0
for page in "$share"/man/man*/mxc-*.gz; do
  if command -v mandoc >/dev/null; then
    gzip -dc "$page" | mandoc -T lint -W warning || status=1
  fi
  if command -v man >/dev/null && command -v groff >/dev/null; then
    for width in 80 120; do
      for device in utf8 ascii; do # what a locale has, and where there is none
        said=$(MANWIDTH=$width man --warnings -l -T$device "$page" 2>&1 >/dev/null)
        test -z "$said" || { echo "$page at $width columns, $device: $said" >&2; status=1; }
      done
    done
  fi
done
# Each flag that the program lists stands in its page.
page=$(gzip -dc "$share/man/man1/mxc-exec.1.gz" | sed 's/\\-/-/g')
for flag in --rw --deny --allow-host --report --explain --probe --version; do
  case $page in
    *"$flag"*) ;;
    *) echo "mxc-exec(1) has no $flag" >&2; status=1 ;;
  esac
done
exit "$status"
