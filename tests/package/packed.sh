#!/bin/sh
# Packs a build twice, and compares: sh tests/package/packed.sh BUILD OUT. Exit status 77: skipped.
set -eu
build=$(realpath "$1")
out=$2
rm -rf "$out"
source=$(cd "$(dirname "$0")/../.." && pwd)
for tool in python3 lowdown cpack dpkg-deb; do
  command -v "$tool" >/dev/null || { echo "skipped: $tool is not installed"; exit 77; }
done
export MXC_DEB_COMPRESSION=gzip # a tenth of the time of xz
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
sh "$source/docs/package/pack.sh" "$build" "$out"
mkdir "$place/some where"
TMPDIR="$place/some where" sh "$source/docs/package/pack.sh" "$build" "$place/again"
diff -r "$out" "$place/again"
test "$(ls "$out" | wc -l)" = 6

cd "$out"
sha256sum --quiet -c ./*.sha256
tar -xzf mxc-exec-*.tar.gz -C "$place"
program=$(echo "$place"/mxc-exec-*/bin/mxc-exec)
if grep -aqF "$source" "$program"; then
  echo "The program names the directory in which it was built" >&2
  exit 1
fi
test "$(cd "$place" && "$program" --ro . -- echo from the tarball)" = "from the tarball"
python3 -B "$source/docs/examples/library.py" "$(dirname "$program")/../lib/libmxc_ffi.so" | grep '^from inside$' >/dev/null

python3 - "$program" ./*.spdx.json <<'CHECK'
import hashlib, json, sys
document = json.load(open(sys.argv[2]))
packages = {each["name"]: each for each in document["packages"]}
assert packages["mxc-exec"]["checksums"][0]["checksumValue"] == hashlib.sha256(open(sys.argv[1], "rb").read()).hexdigest()
for name in ("nlohmann-json", "CLI11", "fmt", "spdlog"):
    assert packages[name]["versionInfo"][0].isdigit(), name
assert {"musl", "glibc"} & set(packages) and {"libc++", "libstdc++"} & set(packages)
known = {each["SPDXID"] for each in document["packages"]} | {"SPDXRef-DOCUMENT"}
assert all(each["relatedSpdxElement"] in known for each in document["relationships"])
CHECK
echo "packed: done"
