// The published SDKs drive mxc-exec: what a caller of the SDK sees must be what its documentation promises.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const program = process.env.MXC_PROGRAM;
assert.ok(program, 'MXC_PROGRAM names the program under test');

// For every SDK: its name, the policy versions it takes, and the one most tests use.
const sdks = [
  { name: 'mxc-sdk-061', versions: ['0.4.0-alpha', '0.5.0-alpha', '0.6.0-alpha', '0.7.0-alpha'], version: '0.6.0-alpha' },
  { name: 'mxc-sdk-080', versions: ['0.6.0-alpha', '0.7.0-alpha', '0.8.0-alpha', '0.9.0-alpha'], version: '0.8.0-alpha' },
];

// Everything a ChildProcess says, and its end.
function collect(child) {
  return new Promise((resolve, reject) => {
    const result = { stdout: '', stderr: '' };
    child.stdout.on('data', (data) => (result.stdout += data));
    child.stderr.on('data', (data) => (result.stderr += data));
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ ...result, code, signal }));
  });
}

// The same for a pseudo-terminal.
function collectTerminal(terminal) {
  return new Promise((resolve) => {
    let output = '';
    terminal.onData((data) => (output += data));
    terminal.onExit(({ exitCode, signal }) => resolve({ output, exitCode, signal }));
  });
}

for (const { name, versions, version } of sdks) {
  const sdk = await import(name);
  describe(name, () => {
    let work;
    const options = { executablePath: program };
    const policy = (more = {}) => ({ version, ...more });
    const config = (commandLine, more = {}, containment = 'process') => {
      const built = sdk.createConfigFromPolicy(policy(more), containment);
      built.process.commandLine = commandLine;
      return built;
    };
    const pipes = (...args) => collect(sdk.spawnSandboxFromConfig(config(...args), { ...options, usePty: false }));

    before(() => (work = fs.mkdtempSync(path.join(os.tmpdir(), 'mxc-sdk-'))));
    after(() => fs.rmSync(work, { recursive: true, force: true }));

    it('finds this platform supported', () => {
      const support = sdk.getPlatformSupport();
      assert.equal(support.isSupported, true, support.reason);
      assert.ok(support.availableMethods.includes('bubblewrap'));
    });

    for (const each of versions) {
      it(`runs a policy of version ${each}`, async () => {
        const result = await sdk.spawnSandboxAsync('echo hello', { version: each }, options);
        assert.deepEqual([result.exitCode, result.stdout.trim()], [0, 'hello']);
      });
    }

    it('gets the exit code of the command', async () => {
      const result = await sdk.spawnSandboxAsync('echo out; exit 3', policy(), options);
      assert.deepEqual([result.exitCode, result.stdout.trim()], [3, 'out']);
    });

    it('has separate streams over pipes', async () => {
      const result = await pipes('echo out; echo err >&2; exit 7');
      assert.deepEqual([result.code, result.stdout, result.stderr], [7, 'out\n', 'err\n']);
    });

    it('feeds standard input over pipes', async () => {
      const child = sdk.spawnSandboxFromConfig(config('cat'), { ...options, usePty: false });
      child.stdin.end('some input\n');
      assert.equal((await collect(child)).stdout, 'some input\n');
    });

    it('gives the command a terminal of the right size', async () => {
      const { output, exitCode } = await collectTerminal(sdk.spawnSandbox('test -t 0 && test -t 1 && stty size', policy(), options));
      assert.deepEqual([output.trim(), exitCode], ['80 120', 0]);
    });

    it('talks with the command over the terminal', async () => {
      const terminal = sdk.spawnSandbox('read line; echo "<$line>"', policy(), options);
      const end = collectTerminal(terminal);
      terminal.write('typed\r');
      const { output, exitCode } = await end;
      assert.match(output, /<typed>/);
      assert.equal(exitCode, 0);
    });

    it('ends a command on the terminal by Ctrl-C', async () => {
      const terminal = sdk.spawnSandbox('echo up; sleep 300', policy(), options);
      const end = collectTerminal(terminal);
      // Again and again: a shell that is just starting the next command can miss one.
      let presses;
      terminal.onData((data) => data.includes('up') && (presses ??= setInterval(() => terminal.write('\x03'), 200)));
      const { exitCode } = await end;
      clearInterval(presses);
      assert.equal(exitCode, 130);
    });

    it('passes the environment it is given and no other', async () => {
      process.env.MXC_SDK_SECRET = 'of-the-caller';
      const child = sdk.spawnSandboxFromConfig(config('/usr/bin/env'), { ...options, usePty: false }, work, { WORD: 'two words', PATH: '/usr/bin:/bin' });
      const { stdout } = await collect(child);
      assert.match(stdout, /^WORD=two words$/m);
      assert.doesNotMatch(stdout, /MXC_SDK_SECRET/);
    });

    it('sets the working directory', async () => {
      const payload = sdk.buildSandboxPayload('pwd', policy({ filesystem: { readwritePaths: [work] } }), work);
      const { stdout } = await collect(sdk.spawnSandboxFromConfig(payload, { ...options, usePty: false }));
      assert.equal(stdout, `${work}\n`);
    });

    it('turns a policy into a configuration that holds', async () => {
      fs.writeFileSync(path.join(work, 'readable'), 'READABLE');
      fs.writeFileSync(path.join(work, 'secret'), 'SECRET');
      fs.mkdirSync(path.join(work, 'out'), { recursive: true });
      const result = await pipes(
        `cat ${work}/readable; echo made > ${work}/out/file; cat ${work}/secret; echo x > ${work}/readable`,
        { filesystem: { readonlyPaths: [work], readwritePaths: [`${work}/out`], deniedPaths: [`${work}/secret`] } },
        'bubblewrap',
      );
      assert.equal(result.stdout, 'READABLE');
      assert.notEqual(result.code, 0);
      assert.equal(fs.readFileSync(path.join(work, 'out/file'), 'utf8'), 'made\n');
      assert.equal(fs.readFileSync(path.join(work, 'readable'), 'utf8'), 'READABLE');
    });

    it('runs under the policies its helpers discover', async () => {
      const tools = sdk.getAvailableToolsPolicy(process.env);
      const profile = sdk.getUserProfilePolicy();
      const result = await pipes('echo ran', {
        filesystem: { readonlyPaths: [...tools.readonlyPaths, ...profile.readonlyPaths], readwritePaths: [work] },
      });
      assert.deepEqual([result.code, result.stdout], [0, 'ran\n'], result.stderr);
    });

    it('reports a timeout as MxcError', async () => {
      await assert.rejects(sdk.spawnSandboxAsync('sleep 300', policy({ timeoutMs: 700 }), options), (error) => {
        assert.ok(error instanceof sdk.MxcError, String(error));
        assert.deepEqual([error.code, error.message], ['backend_error', 'script timed out after 700ms']);
        return true;
      });
    });

    it('reports a refused policy as MxcError', async () => {
      const open = policy({ network: { allowOutbound: true, allowLocalNetwork: true, allowedHosts: ['example.com'] } });
      await assert.rejects(sdk.spawnSandboxAsync('echo ran', open, options), (error) => {
        assert.ok(error instanceof sdk.MxcError, String(error));
        assert.equal(error.code, 'policy_validation');
        return true;
      });
    });

    it('reports a malformed configuration as MxcError', async () => {
      const broken = policy({ filesystem: { readwritePaths: ['not/absolute'] } });
      await assert.rejects(sdk.spawnSandboxAsync('echo ran', broken, options), (error) => {
        assert.ok(error instanceof sdk.MxcError, String(error));
        assert.equal(error.code, 'malformed_request');
        return true;
      });
    });

    it('does not take a failing command for an error of its own', async () => {
      const result = await sdk.spawnSandboxAsync('echo "{not an envelope}"; exit 9', policy(), options);
      assert.equal(result.exitCode, 9);
    });

    it('validates without running', async () => {
      const result = await sdk.spawnSandboxAsync(`touch ${work}/ran`, policy({ filesystem: { readwritePaths: [work] } }), { ...options, dryRun: true });
      assert.equal(result.exitCode, 0);
      assert.match(result.stdout, /validation passed/);
      assert.equal(fs.existsSync(path.join(work, 'ran')), false);
    });

    it('shares its log file', async () => {
      const logDir = path.join(work, 'logs');
      await sdk.spawnSandboxAsync('exit 0', policy(), { ...options, logDir });
      const logs = fs.readdirSync(logDir).map((file) => fs.readFileSync(path.join(logDir, file), 'utf8'));
      assert.match(logs.join(''), /Script code length: 6/);
    });

    // How third parties bundle the executor: <MXC_BIN_DIR>/<architecture>/lxc-exec.
    for (const [how, place] of [['a copy', fs.copyFileSync], ['a link', fs.symlinkSync]]) {
      it(`finds ${how} named lxc-exec in MXC_BIN_DIR`, async () => {
        const directory = path.join(work, how, process.arch);
        fs.mkdirSync(directory, { recursive: true });
        place(program, path.join(directory, 'lxc-exec'));
        process.env.MXC_BIN_DIR = path.dirname(directory);
        try {
          const result = await sdk.spawnSandboxAsync('cat /proc/sys/kernel/hostname', policy());
          assert.deepEqual([result.exitCode, result.stdout.trim()], [0, 'localhost']);
        } finally {
          delete process.env.MXC_BIN_DIR;
        }
      });
    }
  });
}
