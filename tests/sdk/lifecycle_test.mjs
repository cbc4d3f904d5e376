// The lifecycle as the SDKs speak it: their own requests, and their own reading of the answers.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createRequire } from 'node:module';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const program = process.env.MXC_PROGRAM;
assert.ok(program, 'MXC_PROGRAM names the program under test');

const root = path.join(path.dirname(createRequire(import.meta.url).resolve('node-pty/package.json')), '..');

for (const { name, version } of [
  { name: 'mxc-sdk-061', version: '0.6.0-alpha' },
  { name: 'mxc-sdk-080', version: '0.8.0-alpha' },
]) {
  // Their public functions take only sandboxes of Windows; what builds and reads the documents is behind them.
  const helper = await import(pathToFileURL(path.join(root, name, 'dist/state-aware-helper.js')).href);
  const options = { executablePath: program, experimental: true };
  const request = (phase, more) => helper.buildStateAwareEnvelope({ phase, backendKey: 'process', ...more });
  const call = (phase, more) => helper.nonExecCall(request(phase, more), options);
  const exec = (sandboxId, commandLine, more = {}) =>
    helper.spawnAndCollect(
      request('exec', { sandboxId, config: { version, process: { commandLine, ...more } } }), options);
  const rejectsWith = (promise, code) => assert.rejects(promise, (error) => error.code === code);

  describe(`${name}, lifecycle`, () => {
    let sandboxId;
    const here = () => ({ sandboxId, config: { version } });
    after(() => call('deprovision', here()).catch(() => {}));

    it('provisions', async () => {
      const config = { version, network: { defaultPolicy: 'block' } };
      ({ sandboxId } = await call('provision', { containment: 'process', config }));
      assert.match(sandboxId, /^ns:[0-9a-f]{32}$/);
    });

    it('is told that nothing has started', async () => {
      await rejectsWith(call('stop', here()), 'not_started');
      const early = await exec(sandboxId, 'true');
      assert.notEqual(early.exitCode, 0);
      assert.equal(helper.tryParseErrorEnvelope(early.stdout).error.code, 'not_started');
    });

    it('starts, once', async () => {
      assert.deepEqual(await call('start', here()), {});
      await rejectsWith(call('start', here()), 'already_started');
    });

    it('gets streams and exit code of a command', async () => {
      const result = await exec(sandboxId, 'echo out; echo err >&2; exit 7');
      assert.deepEqual(result, { stdout: 'out\n', stderr: 'err\n', exitCode: 7 });
    });

    it('runs commands side by side, in one file system', async () => {
      const all = await Promise.all(
        [...Array(20).keys()].map((i) => exec(sandboxId, `echo ${i} > /tmp/${i}; sleep 0.1; cat /tmp/${i}`)));
      assert.deepEqual(all.map((result) => result.stdout), [...Array(20).keys()].map((i) => `${i}\n`));
      assert.equal((await exec(sandboxId, 'ls /tmp | grep -c "^[0-9]"')).stdout, '20\n');
    });

    it('ends a command by its time-out', async () => {
      const late = await exec(sandboxId, 'sleep 60', { timeout: 300 });
      assert.equal(late.exitCode, 255);
      assert.match(late.stderr, /script timed out after 300ms/);
    });

    it('ends a command when the caller gives up', async () => {
      const aborted = helper.spawnAndCollect(
        request('exec', { sandboxId, config: { version, process: { commandLine: 'sleep 60' } } }),
        { ...options, signal: AbortSignal.timeout(300) });
      await assert.rejects(aborted);
    });

    it('stops and deprovisions', async () => {
      assert.deepEqual(await call('stop', here()), {});
      await rejectsWith(call('stop', here()), 'already_stopped');
      assert.deepEqual(await call('deprovision', here()), {});
      await rejectsWith(call('start', here()), 'stale_id');
      await rejectsWith(call('start', { sandboxId: 'ns:1', config: { version } }), 'malformed_id');
    });
  });

  // They tell containments apart by the prefixes of Windows.
  describe(`${name}, lifecycle by its public functions`, () => {
    let folder, sandboxId;
    const asTheirs = {};
    before(() => {
      folder = fs.mkdtempSync(path.join(os.tmpdir(), 'mxc-sdk-'));
      fs.symlinkSync(program, path.join(folder, 'lxc-exec'));
      Object.assign(asTheirs, { executablePath: path.join(folder, 'lxc-exec'), experimental: true });
    });
    after(() => fs.rmSync(folder, { recursive: true, force: true }));

    it('takes the identifier from provision to deprovision', async () => {
      const sdk = await import(name);
      const config = { version, network: { defaultPolicy: 'block' } };
      ({ sandboxId } = await sdk.provisionSandbox('process', config, asTheirs));
      assert.match(sandboxId, /^iso:ns-[0-9a-f]{32}$/);
      await sdk.startSandbox(sandboxId, { version }, asTheirs);
      const process = { commandLine: 'echo out; exit 7' };
      const result = await sdk.execInSandboxAsync(sandboxId, { version, process }, asTheirs);
      assert.deepEqual(result, { stdout: 'out\n', stderr: '', exitCode: 7 });
      await rejectsWith(sdk.startSandbox(sandboxId, { version }, asTheirs), 'already_started');
      await sdk.stopSandbox(sandboxId, { version }, asTheirs);
      await sdk.deprovisionSandbox(sandboxId, { version }, asTheirs);
      await rejectsWith(sdk.startSandbox(sandboxId, { version }, asTheirs), 'stale_id');
    });
  });
}
