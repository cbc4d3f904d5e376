# cargo: build and test of a crate without dependencies.
cargo=$(command -v cargo) || skip "cargo is not installed"
toolchain=$(rustc --print sysroot 2>/dev/null) || skip "rustc does not run"
# A tool chain in root's home is out of reach for anybody else.
as test -x "$toolchain/bin/cargo" || skip "$caller cannot reach $toolchain"

prepare() {
  mkdir "$project/src"
  printf '[package]\nname = "demo"\nversion = "0.1.0"\nedition = "2021"\n' >"$project/Cargo.toml"
  cat >"$project/src/lib.rs" <<'RS'
pub fn sum(a: i32, b: i32) -> i32 { a + b }
#[test]
fn adds() { assert_eq!(sum(20, 22), 42); }
RS
  readonly_paths="\"$toolchain\""
}

work='
PATH="'$toolchain'/bin:$PATH"
export CARGO_HOME="$PWD/.cargo"
cargo build --offline
cargo test --offline'

check() { test -d "$project/target/debug"; }
