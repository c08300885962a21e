import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { missingAddOns, offerAddOns } from '../../../scripts/lib/offer-add-ons.mjs';
import { checkPinned, readPin } from '../../../scripts/lib/pinned-package.mjs';

/** A terminal (or none), and what was written to it. */
function terminal(isTTY = true) {
  const written: string[] = [];
  const setRawMode = vi.fn();
  const input = Object.assign(new PassThrough(), { isTTY, setRawMode });
  const output = { isTTY, write: (text: string) => written.push(text) };
  return { input, output, setRawMode, text: () => written.join('') };
}

type Answer = { exitCode: number; text: string };
type Told = { does: string; takes: string; words?: string; own?: boolean; options?: Record<string, string> };

const missing = ['face-reidentification-retail-0095', 'minifasnet'];
const command = 'npm run svc -- models add recommended';

describe('the offer of npm start', () => {
  it('is not made if nothing is missing', async () => {
    const { input, output, text } = terminal();
    expect(await offerAddOns({ missing: [], input, output, add: expect.unreachable })).toBe(false);
    expect(text()).toBe('');
  });

  it.each([true, false])('installs after one key, in a terminal that is one: %s', async (isTTY) => {
    const { input, output, text, setRawMode } = terminal(isTTY);
    const add = vi.fn(async () => undefined);
    const offered = offerAddOns({ missing, input, output, add });
    input.write('y');
    expect(await offered).toBe(isTTY);
    expect(add).toHaveBeenCalledTimes(isTTY ? 1 : 0);
    if (isTTY) expect(setRawMode.mock.calls).toEqual([[true], [false]]);
    else expect(text()).toContain(command);
  });

  it.each(['another key', 'no key', 'an end of input'])('goes on without them after %s', async (what) => {
    const { input, output, text, setRawMode } = terminal();
    const offered = offerAddOns({ missing, input, output, add: expect.unreachable, waitMs: 20 });
    if (what === 'another key') input.write('n');
    if (what === 'an end of input') input.end();
    expect(await offered).toBe(false);
    expect(setRawMode).toHaveBeenLastCalledWith(false);
    expect(text()).toContain(command);
  });

  it('continues without add-ons if they cannot be fetched, and says how to retry', async () => {
    const { input, output, text } = terminal();
    const offered = offerAddOns({ missing, input, output, add: () => Promise.reject(new Error('no network')) });
    input.write('Y');
    expect(await offered).toBe(false);
    expect(text()).toContain('no network');
    expect(text()).toContain(command);
  });
});

it("checks the add-on's own folder and, for the first release’s only add-on, the folder above", async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-offer-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  expect(missingAddOns(join(folder, 'absent'))).toEqual(missing);
  await writeFile(join(folder, 'manifest.json'), '{}');
  expect(missingAddOns(folder)).toEqual(['face-reidentification-retail-0095']);
  await mkdir(join(folder, 'face-reidentification-retail-0095'));
  await writeFile(join(folder, 'face-reidentification-retail-0095', 'manifest.json'), '{}');
  expect(missingAddOns(folder)).toEqual([]);
});

describe('the scripts of package.json', () => {
  const root = new URL('../../../', import.meta.url);
  const node = (...args: string[]) => spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });

  it('say what they do, how long it takes and what they know, and refuse what they do not know, running nothing', () => {
    const names = Object.keys(manifest.scripts);
    for (const name of names) expect(manifest.scripts[name as 'test']).toBe(`node scripts/run.mjs ${name}`);
    const asked = `
      const { commands, refusalOf } = await import('./scripts/lib/command-line.mjs');
      const answers = ([name]) => ['--help', '--no-such', 'no-such-word'].map((word) => refusalOf(name, [word]));
      console.log(JSON.stringify(Object.entries(commands).map((one) => [...one, answers(one)])));`;
    const told = JSON.parse(node('--input-type=module', '-e', asked).stdout) as [string, Told, (Answer | null)[]][];
    expect(told.map(([name]) => name)).toEqual(names);
    for (const [name, { does, takes, words, own = false, options = {} }, [help, unknown, word]] of told) {
      if (own) continue;
      expect([help?.exitCode, unknown?.exitCode, word?.exitCode]).toEqual([0, 2, words === undefined ? 2 : undefined]);
      for (const part of [does, takes, ...Object.entries(options).flat()]) expect(help?.text).toContain(part);
      expect(unknown?.text).toContain(`'--no-such'`);
      expect(unknown?.text).toContain(`npm run ${name}`);
    }
    expect(node('scripts/run.mjs', 'demo', '--help')).toMatchObject({ status: 0, stderr: '' });
    expect(node('scripts/run.mjs', 'release', '--no-such')).toMatchObject({ status: 2, stdout: '' });
  });
});

it('a page is built anew for npm start where another command has built it with other settings', async () => {
  const root = fileURLToPath(new URL('../../../', import.meta.url));
  const place = await mkdtemp(join(tmpdir(), 'svc-built-'));
  onTestFinished(() => rm(place, { recursive: true, force: true }));
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
    expect(() => checkPinned(tarball, pin)).toThrow(/another content/);
  });
});
