// SDK 1.0.1 starts no executor: it loads libmxc_ffi.so, which is ours here. Run by Node 24, which it asks for.
import assert from 'node:assert/strict';
import { execFileSync, spawn as start } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import v8 from 'node:v8';
import vm from 'node:vm';

assert.ok(process.env.MXC_FFI_DIR, 'MXC_FFI_DIR names the folder of the library under test');
const mxc = await import('mxc-sdk-101/v1');

async function textOf(stream) {
  let text = '';
  for await (const part of stream) text += part;
  return text;
}

const openDescriptors = () => fs.readdirSync('/proc/self/fd').length;
const threads = () => fs.readdirSync('/proc/self/task').length;
const children = () => fs.readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim();

// Processes that have this word among their arguments.
function processesWith(word) {
  const hasIt = (pid) => {
    try {
      return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(word);
    } catch {
      return false;
    }
  };
  return fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name) && hasIt(name)).length;
}

async function eventually(condition) {
  for (let i = 0; i < 1000 && !condition(); ++i) await sleep(10);
  assert.ok(condition(), String(condition));
}

const rejectsWith = (promise, code) => assert.rejects(promise, (error) => {
  assert.ok(error instanceof mxc.MxcError, String(error));
  assert.equal(error.code, code, error.message);
  return true;
});

describe('mxc-sdk-101', () => {
  let work;
  before(() => (work = fs.mkdtempSync(path.join(os.tmpdir(), 'mxc-sdk-'))));
  after(() => fs.rmSync(work, { recursive: true, force: true }));

  it('loads our library', async () => {
    await mxc.run({ command: 'true' });
    assert.match(fs.readFileSync('/proc/self/maps', 'utf8'), new RegExp(`${fs.realpathSync(process.env.MXC_FFI_DIR)}/libmxc_ffi`));
  });

  it('runs a command', async () => {
    const result = await mxc.run({ command: 'echo out; echo err >&2; exit 7' });
    assert.deepEqual(result, { stdout: 'out\n', stderr: 'err\n', exitCode: 7, timedOut: false, warnings: [] });
  });

  for (const type of ['process', 'bubblewrap']) {
    it(`holds a policy under ${type}`, async () => {
      const here = path.join(work, type);
      fs.mkdirSync(path.join(here, 'out'), { recursive: true });
      fs.writeFileSync(path.join(here, 'readable'), 'READABLE');
      fs.writeFileSync(path.join(here, 'secret'), 'SECRET');
      const result = await mxc.run({
        command: `cat readable; echo made > out/file; cat secret; echo x > readable`,
        containment: { type },
        workingDirectory: here,
        filesystem: { readonlyPaths: [here], readwritePaths: [`${here}/out`], deniedPaths: [`${here}/secret`] },
      });
      assert.equal(result.stdout, 'READABLE');
      assert.notEqual(result.exitCode, 0);
      assert.equal(fs.readFileSync(`${here}/out/file`, 'utf8'), 'made\n');
      assert.equal(fs.readFileSync(`${here}/readable`, 'utf8'), 'READABLE');
    });
  }

  it('gives the environment it is told, and none of the caller', async () => {
    process.env.MXC_SDK_SECRET = 'of-the-caller';
    const { stdout } = await mxc.run({ command: 'cat /proc/1/environ; env', environment: { WORD: 'two words' } });
    assert.match(stdout, /^WORD=two words$/m);
    assert.doesNotMatch(stdout, /of-the-caller/);
  });

  it('tells of warnings', async () => {
    const { warnings } = await mxc.run({ command: 'true', filesystem: { readonlyPaths: ['/not/there'] } });
    assert.deepEqual(warnings, ["'/not/there' of readonlyPaths does not exist: nothing is granted"]);
  });

  it('ends a run in time, and keeps its output', async () => {
    const result = await mxc.run({ command: 'echo begun; sleep 300', timeoutMs: 500 });
    assert.deepEqual([result.timedOut, result.exitCode, result.stdout], [true, -1, 'begun\n']);
  });

  it('explains refusals', async () => {
    await rejectsWith(mxc.run({ command: 'true', containment: { type: 'seatbelt' } }), 'unsupported_containment');
    await rejectsWith(mxc.run({ command: 'true', filesystem: { readonlyPaths: ['relative'] } }), 'malformed_request');
    await assert.rejects(mxc.spawn({ command: 'true', containment: { type: 'seatbelt' } }), (error) => /process/.test(error.remediation));
  });

  it('talks with a command over its streams', async () => {
    const child = await mxc.spawn({ command: 'read a; echo got $a; echo err >&2; cat >/dev/null; exit 3' });
    const [output, errors] = [textOf(child.standardOutput), textOf(child.standardError)];
    child.standardInput.end('word\n');
    assert.deepEqual(await child.wait(), { exitCode: 3, timedOut: false });
    assert.deepEqual([await output, await errors, child.warnings], ['got word\n', 'err\n', []]);
  });

  it('is not ended by a warning of a live command', async () => {
    const child = await mxc.spawn({ command: 'exit 2', filesystem: { readonlyPaths: ['/not/there'] } });
    const errors = textOf(child.standardError);
    assert.equal((await child.wait()).exitCode, 2);
    assert.equal(await errors, '');
  });

  it('kills, disposes and times out', async () => {
    const killed = await mxc.spawn({ command: 'sleep 40771' });
    killed.kill();
    assert.deepEqual(await killed.wait(), { exitCode: -1, timedOut: false });
    const disposed = await mxc.spawn({ command: 'sleep 40771' });
    disposed.dispose();
    const late = await mxc.spawn({ command: 'sleep 40771', timeoutMs: 300 });
    assert.deepEqual(await late.wait(), { exitCode: -1, timedOut: true });
    await eventually(() => processesWith('40771') === 0);
  });

  it('ends a command in time while nobody asks', async () => {
    const child = await mxc.spawn({ command: 'sleep 40772', timeoutMs: 300 });
    for (const end = Date.now() + 4000; Date.now() < end && processesWith('40772') > 0; );
    assert.equal(processesWith('40772'), 0);
    assert.equal((await child.wait()).timedOut, true);
  });

  it('gives a command a terminal', async () => {
    const terminal = await mxc.spawnWithPty(
      { command: "trap 'echo trapped; exit 42' INT; stty size; read a; stty size; echo got $a; while :; do sleep 0.05; done" },
      { size: { rows: 30, columns: 90 } });
    let seen = '';
    terminal.output.on('data', (data) => (seen += data));
    await eventually(() => seen.includes('30 90'));
    terminal.resize({ rows: 40, columns: 100 });
    terminal.input.write('word\n');
    await eventually(() => seen.includes('40 100') && seen.includes('got word'));
    terminal.input.write('\x03');
    assert.deepEqual(await terminal.wait(), { exitCode: 42, timedOut: false });
    assert.match(seen, /trapped/);
  });

  it('finds this platform supported', () => {
    const place = path.join(work, 'bin', process.arch);
    fs.mkdirSync(place, { recursive: true });
    fs.symlinkSync(path.join(process.env.MXC_FFI_DIR, 'mxc-exec'), path.join(place, 'lxc-exec'));
    process.env.MXC_BIN_DIR = path.dirname(place);
    const { isSupported, bubblewrapNetwork } = mxc.getPlatformSupport();
    assert.equal(isSupported, true);
    assert.equal(bubblewrapNetwork.proxyEnforcement, 'supported');
    const bubblewrap = mxc.getAvailableBackends().find(({ backend }) => backend === 'bubblewrap');
    assert.deepEqual(bubblewrap.capabilities, ['proxyEnforcement']);
  });

  it('has nothing to probe for the SDK, whose probe is one of Windows', () => {
    assert.throws(() => mxc.probe(), /Windows/);
  });

  it('refuses sandboxes of Windows', async () => {
    const network = { egress: { default: 'allow' }, ingress: { default: 'allow', hostLoopback: 'allow' } };
    await rejectsWith(mxc.provisionContainer({ containment: 'isolation_session', network }), 'backend_unavailable');
    await rejectsWith(mxc.startContainer('iso:abc'), 'backend_unavailable');
  });

  // Their functions provision sandboxes of Windows alone; one of ours has an identifier that they take for one.
  it('uses a persistent sandbox from start to deprovision', async (test) => {
    const lxcExec = path.join(work, 'lxc-exec');
    fs.symlinkSync(path.join(process.env.MXC_FFI_DIR, 'mxc-exec'), lxcExec);
    const provision = JSON.stringify({
      version: '1.0.0', phase: 'provision', containment: 'process', filesystem: { readwritePaths: [work] } });
    const base64 = Buffer.from(provision).toString('base64');
    const { sandboxId } = JSON.parse(execFileSync(lxcExec, ['--config-base64', base64])).result;
    assert.match(sandboxId, /^iso:ns-/);
    test.after(() => mxc.deprovisionContainer(sandboxId).catch(() => {}));
    await rejectsWith(mxc.runInContainer(sandboxId, { command: 'true' }), 'not_started');
    assert.deepEqual(await mxc.validateStart(sandboxId), { warnings: [] });
    assert.deepEqual(await mxc.startContainer(sandboxId), { warnings: [] });
    await rejectsWith(mxc.startContainer(sandboxId), 'already_started');
    const ran = await mxc.runInContainer(sandboxId, { command: 'echo out; echo err >&2; echo kept >/tmp/file; exit 7' });
    assert.deepEqual(ran, { stdout: 'out\n', stderr: 'err\n', exitCode: 7, timedOut: false, warnings: [] });
    const late = await mxc.runInContainer(sandboxId, { command: 'cat /tmp/file; sleep 60', timeoutMs: 300 });
    assert.deepEqual([late.stdout, late.exitCode, late.timedOut], ['kept\n', -1, true]);
    const child = await mxc.spawnInContainer(sandboxId, { command: 'sleep 60' });
    child.kill();
    assert.deepEqual(await child.wait(), { exitCode: -1, timedOut: false });
    const terminal = await mxc.spawnInContainerWithPty(sandboxId, { command: 'stty size; cat /tmp/file' }, { size: { rows: 31, columns: 91 } });
    const seen = textOf(terminal.output);
    assert.equal((await terminal.wait()).exitCode, 0);
    assert.equal(await seen, '31 91\r\nkept\r\n');
    await mxc.stopContainer(sandboxId);
    await rejectsWith(mxc.stopContainer(sandboxId), 'already_stopped');
    await mxc.deprovisionContainer(sandboxId);
    await rejectsWith(mxc.startContainer(sandboxId), 'stale_id');
  });

  it('runs fifty at once', async () => {
    const all = await Promise.all([...Array(50).keys()].map((i) => mxc.run({ command: `sleep 0.2; echo ${i}` })));
    assert.deepEqual(all.map(({ stdout }) => stdout), [...Array(50).keys()].map((i) => `${i}\n`));
  });

  // Half of them run, half spawned.
  it('leaves nothing behind', async () => {
    v8.setFlagsFromString('--expose-gc');
    const collect = vm.runInNewContext('gc');
    const each = async () => {
      await mxc.run({ command: 'echo x' });
      await (await mxc.spawn({ command: 'cat' })).wait();
    };
    const many = async (count) => {
      for (let i = 0; i < count; ++i) await each();
      await sleep(50);
      collect();
      return [openDescriptors(), threads(), children()];
    };
    const launches = Number(process.env.MXC_SDK_LAUNCHES ?? 500);
    const before = await many(50);
    const memory = process.memoryUsage.rss();
    assert.deepEqual(await many(launches / 2), before);
    const grown = (process.memoryUsage.rss() - memory) / 1024;
    assert.ok(grown < 40 * launches, `${launches} launches keep ${grown} KiB`);
  });

  it('takes its sandboxes along when it is killed', async () => {
    const host = start(process.execPath, ['--input-type=module', '-e', `
      const mxc = await import('mxc-sdk-101/v1');
      await mxc.spawn({ command: 'sleep 40773' });
      await mxc.spawnWithPty({ command: 'sleep 40773' });
      await mxc.run({ command: 'sleep 40773' });`], { cwd: import.meta.dirname, stdio: 'ignore' });
    await eventually(() => processesWith('40773') === 3);
    host.kill('SIGKILL');
    await eventually(() => processesWith('40773') === 0);
  });
});
