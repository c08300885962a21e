import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '@svc/durable-fs/testing/folder';
import { describe, expect, it, onTestFinished } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { commands, refusalOf } from '../../../scripts/lib/command-line.mjs';
import { checkPinned, readPin } from '../../../scripts/lib/pinned-package.mjs';

describe('the scripts of package.json', () => {
  const root = new URL('../../../', import.meta.url);
  const node = (...args: string[]) => spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });

  it('say what they do, how long it takes and what they know, and refuse what they do not know, running nothing', () => {
    const names = Object.keys(manifest.scripts);
    for (const name of names) expect(manifest.scripts[name as 'test']).toBe(`node scripts/run.mjs ${name}`);
    expect(Object.keys(commands)).toEqual(names);
    for (const [name, { does, takes, words, own = false, options = {} }] of Object.entries(commands)) {
      if (own) continue;
      const [help, unknown, word] = ['--help', '--no-such', 'no-such-word'].map((given) => refusalOf(name, [given]));
      expect([help?.exitCode, unknown?.exitCode, word?.exitCode]).toEqual([0, 2, words === undefined ? 2 : undefined]);
      for (const part of [does, takes, ...Object.entries(options).flat()]) expect(help?.text).toContain(part);
      expect(unknown?.text).toContain(`'--no-such'`);
      expect(unknown?.text).toContain(`npm run ${name}`);
    }
    expect(node('scripts/run.mjs', 'demo', '--help')).toMatchObject({ status: 0, stderr: '' });
    expect(node('scripts/run.mjs', 'release', '--no-such')).toMatchObject({ status: 2, stdout: '' });
  });
});

it('what runs in the foreground ends with the shell that npm started it in', async () => {
  const run = `const { become } = await import('./scripts/lib/setup.mjs'); become(process.execPath, ['-e', process.argv[1]]);`;
  const program = `console.log('ready'); setInterval(() => {}, 1_000); process.on('SIGTERM', () => process.exit());`;
  const args = ['-c', '"$0" "$@"; true', process.execPath, '--input-type=module', '-e', run, program];
  const env = { ...process.env, npm_lifecycle_event: 'start' };
  const shell = spawn('sh', args, { cwd: new URL('../../../', import.meta.url), env });
  onTestFinished(() => void shell.kill('SIGKILL'));
  await once(shell.stdout, 'data');
  shell.kill('SIGTERM');
  // The last holder of its output has ended.
  await once(shell, 'close');
  expect(shell.signalCode).toBe('SIGTERM');
});

it('a page is built anew for npm start where another command has built it with other settings', async () => {
  const root = fileURLToPath(new URL('../../../', import.meta.url));
  const place = temporaryFolder();
  await mkdir(join(place, 'scripts'));
  const list = (sha256: string) => JSON.stringify({ files: [{ path: 'index.html', sha256 }] });
  const build = `fs.mkdirSync('dist', { recursive: true }); fs.writeFileSync('dist/site.json', '${list('own')}');`;
  const program = `import fs from 'node:fs'; ${build} fs.appendFileSync('dist/builds', '.');`;
  await writeFile(join(place, 'scripts', 'build.mjs'), program);
  const script = JSON.stringify(join(relative(root, place), 'scripts', 'build.mjs'));
  const start = `const { ensureBuilt } = await import('./scripts/lib/setup.mjs'); await ensureBuilt(${script});`;
  for (const [builds, isSwapped] of [
    ['.', false],
    ['.', true],
    ['..', false],
  ] as const) {
    expect(spawnSync(process.execPath, ['--input-type=module', '-e', start], { cwd: root }).status).toBe(0);
    expect(await readFile(join(place, 'dist', 'builds'), 'utf8')).toBe(builds);
    if (isSwapped) await writeFile(join(place, 'dist', 'site.json'), list('other'));
  }
});

it('models that cannot be had are told of, and npm start goes on with what is built in', async () => {
  const folder = temporaryFolder();
  const program = `const { ensureModels } = await import('./scripts/lib/setup.mjs'); process.exitCode = (await ensureModels()) ? 0 : 3;`;
  const ensure = (choice: string) => {
    const mirror = { SVC_MODELS: choice, SVC_MODELS_DIR: folder, SVC_MODELS_FROM: 'http://127.0.0.1:65534' };
    const options = { cwd: new URL('../../../', import.meta.url), encoding: 'utf8' } as const;
    const args = ['--input-type=module', '-e', program];
    return spawnSync(process.execPath, args, { ...options, env: { ...process.env, ...mirror } });
  };
  const refused = ensure('');
  expect([refused.status, refused.stderr]).toEqual([
    3,
    expect.stringMatching(/ECONNREFUSED.*built-in engine is used/s),
  ]);
  expect(ensure('built-in')).toMatchObject({ status: 0, stderr: '' });
  expect(ensure('none')).toMatchObject({ status: 1, stderr: expect.stringContaining('recommended or built-in') });
  expect(await readdir(folder)).toEqual([]);
});

describe('the package manager that setup fetches', () => {
  it('is pinned by its hash', () => {
    expect(readPin(manifest.packageManager)).toMatchObject({
      name: 'pnpm',
      sha512: expect.stringMatching(/^[0-9a-f]{128}$/),
    });
  });

  it.each(['pnpm@10.34.8', 'pnpm@latest+sha512.00', `pnpm@10.34.8+sha1.${'0'.repeat(128)}`])(
    'is refused as %s',
    (text) => {
      expect(() => readPin(text)).toThrow(/SHA-512/);
    },
  );

  it('is refused if one bit differs', () => {
    const tarball = Buffer.from('a tarball');
    const pin = { name: 'pnpm', version: '1.0.0', sha512: createHash('sha512').update(tarball).digest('hex') };
    checkPinned(tarball, pin);
    tarball[3] = (tarball[3] ?? 0) ^ 1;
    expect(() => checkPinned(tarball, pin)).toThrow(/pinned content/);
  });
});
