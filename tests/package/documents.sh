#!/bin/sh
# The manual pages and completions of the tarball: sh tests/package/documents.sh PACKAGES. Exit status 77: skipped.
set -eu
test -d "$1" || { echo "skipped: nothing was packed"; exit 77; }
here=$(dirname "$0")
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
tar -xzf "$1"/mxc-exec-*.tar.gz -C "$place"
sh "$here/manual.sh" "$place"/mxc-exec-*/share
sh "$here/completions.sh" "$place"/mxc-exec-*/share
echo "documents: done"
