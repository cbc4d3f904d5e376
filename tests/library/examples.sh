#!/bin/sh
# The examples of docs/examples: sh tests/library/examples.sh LIBRARY C_EXAMPLE
set -eu
source=$(cd "$(dirname "$0")/../.." && pwd)
"$2" | grep '^FROM INSIDE$' >/dev/null
command -v python3 >/dev/null || { echo "skipped: python3 is not installed"; exit 77; }
said=$(python3 -B "$source/docs/examples/library.py" "$1")
echo "$said" | grep '^from inside$' >/dev/null
echo "$said" | grep -q "^refused: the 'seatbelt' backend is not available on Linux"
command -v mcs >/dev/null || { echo "skipped: mono-mcs is not installed"; exit 77; }
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
mcs -out:"$place/library.exe" "$source/docs/examples/library.cs"
test "$(LD_LIBRARY_PATH=$(dirname "$1") mono "$place/library.exe")" = "$said" || { echo "C# says something else than Python"; exit 1; }
