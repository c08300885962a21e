import { spawnSync } from 'node:child_process';
import { cp, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '@svc/durable-fs/testing/folder';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const load = async (name: string) => await import(join(root, 'scripts', `${name}.mjs`));
const { publicManifest, renameScope } = await load('release/stage');
const { distTag, refusalsOf, tagCommit } = await load('release/publish');
const { publishedPackages, readConfig } = await load('release/config');
const { manifestOf } = await load('lib/versions');
const config = readConfig();

it('release.config.json has every field, and a wrong one is named', () => {
  const read = (change: object) => () => readConfig(JSON.stringify({ ...config, ...change }));
  expect(read({ scope: '@another' })()).toMatchObject({ scope: '@another' });
  expect(read({ scope: 'svc' })).toThrow('scope');
  expect(read({ repository: `${config.repository}.git` })).toThrow('repository');
  expect(read({ licence: '' })).toThrow('licence');
});

it('what is published says where it is from, what it needs, and nothing of the workspace', () => {
  const packages: { folder: string }[] = publishedPackages();
  expect(packages).toHaveLength(7);
  for (const { folder } of packages) {
    const manifest = publicManifest(manifestOf(folder), folder, config);
    expect(manifest).toMatchObject({ license: 'Apache-2.0', engines: { node: '>=20.19' } });
    expect(manifest.repository.url).toMatch(/^git\+https:.*\.git$/);
    expect(Object.keys(manifest.exports)).toEqual(expect.arrayContaining(['.', './package.json']));
    expect(JSON.stringify(manifest)).not.toMatch(/svc-source|devDependencies|"scripts"/);
  }
});

it('a dry run names all packages', () => {
  const args = ['scripts/release.mjs', '--registry', 'https://registry.example', '--dry-run'];
  const { stdout } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  for (const name of ['core', 'server-sdk', 'widget', 'device-sdk-react-native']) expect(stdout).toContain(`/${name} `);
});

it('refuses changes, changesets, a tag elsewhere and placeholders', () => {
  const fine = { changed: '', changesets: [], config, head: 'a', registry: 'http://127.0.0.1:1', tagged: '' };
  const away = { registry: 'https://a.example', config: { security: 'a@b.example' } };
  const changes = [{}, { tagged: 'a' }, { changed: ' M x' }, { changesets: [1] }, { tagged: 'b' }, away];
  expect(changes.map((change) => refusalsOf({ ...fine, ...change }).length)).toEqual([0, 0, 1, 1, 1, 1]);
});

it.each([
  ['0.3.0', null, 'latest'],
  ['0.10.0', '0.9.9', 'latest'],
  ['0.2.9', '0.3.0', 'v0.2'],
  ['0.4.0-rc.1', '0.3.0', 'next'],
])('%s where %s is the latest is %s', (version, latest, tag) => expect(distTag(version, latest)).toBe(tag));

it('documents take another scope', async () => {
  const folder = temporaryFolder();
  await cp(join(root, 'docs'), folder, { recursive: true });
  renameScope(folder, '@another');
  const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.md'));
  const text = (await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')))).join('');
  expect(text).toContain("from '@another/device-sdk-node'");
  expect(text).not.toContain('@svc/');
});

it('a tag is signed where git has a key', async () => {
  const folder = temporaryFolder();
  const git = (...args: string[]) => spawnSync('git', args, { cwd: folder, encoding: 'utf8' }).stdout;
  const key = join(folder, 'key');
  const { status } = spawnSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]);
  if (status !== 0) return void process.stdout.write('skipped: no ssh-keygen\n');
  git('init', '-q');
  for (const setting of ['user.name A', 'user.email a@b.example', 'gpg.format ssh', `user.signingkey ${key}.pub`])
    git('config', ...setting.split(' '));
  git('commit', '-qm', 'release: 1.0.0', '--allow-empty');
  expect(tagCommit('v1.0.0', 'svc', folder)).toBe(true);
  expect(git('cat-file', 'tag', 'v1.0.0')).toContain('BEGIN SSH SIGNATURE');
});
