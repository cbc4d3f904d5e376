# npm install from a tarball, with a script that runs at installation, and npm test.
require npm node

prepare() {
  mkdir "$work_area/library"
  cat >"$work_area/library/package.json" <<'JSON'
{"name": "library", "version": "1.0.0", "main": "index.js"}
JSON
  echo 'module.exports = (x) => x + 1;' >"$work_area/library/index.js"
  (cd "$work_area/library" && npm pack --silent --cache "$work_area/cache" >/dev/null)

  cat >"$project/package.json" <<JSON
{
  "name": "project", "version": "1.0.0",
  "scripts": {"postinstall": "node -e \"fs.writeFileSync('installed', '1')\"", "test": "node --test"},
  "dependencies": {"library": "file:$work_area/library/library-1.0.0.tgz"}
}
JSON
  cat >"$project/project.test.js" <<'JS'
const test = require('node:test');
const assert = require('node:assert');
const child = require('node:child_process');
test('the library', () => assert.equal(require('library')(1), 2));
test('a child process', () => assert.equal(child.execFileSync('node', ['-p', '6*7']).toString(), '42\n'));
test('a server and its client', async () => {
  const server = require('node:http').createServer((_, answer) => answer.end('hello')).listen(0, '127.0.0.1');
  await new Promise((ready) => server.once('listening', ready));
  const answer = await fetch(`http://127.0.0.1:${server.address().port}`);
  assert.equal(await answer.text(), 'hello');
  server.close();
});
JS
  readonly_paths="\"$work_area/library\""
}

work='
npm install --offline --no-audit --no-fund
npm test'

check() {
  test -e "$project/installed"
  test -e "$project/node_modules/library/index.js"
}
