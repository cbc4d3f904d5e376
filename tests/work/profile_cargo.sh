cargo=$(command -v cargo) || skip "cargo is not installed"
toolchain=$(rustc --print sysroot 2>/dev/null) || skip "rustc does not run"
trust=CARGO_HTTP_CAINFO

publish() {
  crate=$www/static.crates.io/crates/library
  mkdir -p "$www/index.crates.io/li/br" "$crate/1.0.0" "$area/source/library-1.0.0/src"
  printf '[package]\nname = "library"\nversion = "1.0.0"\nedition = "2021"\n' >"$area/source/library-1.0.0/Cargo.toml"
  echo 'pub fn add(x: i32) -> i32 { x + 1 }' >"$area/source/library-1.0.0/src/lib.rs"
  tar -czf "$crate/1.0.0/download" -C "$area/source" library-1.0.0
  sum=$(sha256sum "$crate/1.0.0/download" | cut -d' ' -f1)
  printf '{"name":"library","vers":"1.0.0","deps":[],"cksum":"%s","features":{},"yanked":false}\n' "$sum" >"$www/index.crates.io/li/br/library"
  echo '{"dl": "https://static.crates.io/crates", "api": "https://crates.io"}' >"$www/index.crates.io/config.json"
}

prepare() {
  mkdir "$project/src"
  printf '[package]\nname = "demo"\nversion = "0.1.0"\nedition = "2021"\n[dependencies]\nlibrary = "1"\n' >"$project/Cargo.toml"
  printf 'pub fn twice(x: i32) -> i32 { library::add(library::add(x)) }\n#[test]\nfn adds() { assert_eq!(twice(40), 42); }\n' >"$project/src/lib.rs"
  mkdir "$area/toolchain" # where every caller can reach it
  mount --bind "$toolchain" "$area/toolchain"
  tools="--ro $area/toolchain"
}

fetch="PATH=$area/toolchain/bin:\$PATH cargo test -q"
again="rm -rf target; PATH=$area/toolchain/bin:\$PATH cargo test -q --offline"
