require npm node
trust=npm_config_cafile

# pack NAME BODY: a package of the registry.
pack() {
  mkdir -p "$area/source/$1" "$www/registry.npmjs.org/$1/-"
  printf '{"name": "%s", "version": "1.0.0", "main": "index.js"}\n' "$1" >"$area/source/$1/package.json"
  printf '%s\n' "$2" >"$area/source/$1/index.js"
  (cd "$area/source/$1" && npm pack --silent --cache "$area/npm" --pack-destination "$www/registry.npmjs.org/$1/-" >/dev/null)
  file=$www/registry.npmjs.org/$1/-/$1-1.0.0.tgz
  integrity=sha512-$(openssl dgst -sha512 -binary "$file" | base64 -w0)
  cat >"$www/registry.npmjs.org/$1/index.html" <<JSON
{"name": "$1", "dist-tags": {"latest": "1.0.0"}, "versions": {"1.0.0": {"name": "$1", "version": "1.0.0", "main": "index.js",
 "dist": {"tarball": "https://registry.npmjs.org/$1/-/$1-1.0.0.tgz", "integrity": "$integrity"}}}}
JSON
}

publish() {
  pack library 'module.exports = (x) => x + 1;'
}

prepare() {
  cat >"$project/package.json" <<'JSON'
{"name": "project", "version": "1.0.0", "scripts": {"test": "node --test"}, "dependencies": {"library": "^1.0.0"}}
JSON
  cat >"$project/project.test.js" <<'JS'
require('node:test').test('the library', () => require('node:assert').equal(require('library')(1), 2));
JS
}

fetch='npm install --no-audit --no-fund && npm test'
again='rm -rf node_modules && npm ci --offline --no-audit --no-fund && npm test'
