// `npm run release` (docs/internals/releasing.md): makes the next version of the pending changesets: the packages' versions by
// `changeset version`, the CHANGELOG, and every other place that names the version or the scope. With `--registry` it
// publishes them, with `--rehearse` at a registry of its own; `--pack` only writes the tarballs of what is here.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { formerRelease } from './lib/former-release.mjs';
import { root, run, SetupError, script, setup } from './lib/setup.mjs';
import { productVersion, writeVersions } from './lib/versions.mjs';
import { changesetFiles, readConfig } from './release/config.mjs';
import { renameScope, stage } from './release/stage.mjs';

const CHANGELOG = join(root, 'CHANGELOG.md');
const KINDS = { major: 'Major', minor: 'New and changed', patch: 'Fixed' };

const git = (...args) => spawnSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 }).stdout;

/** @returns {{name: string, packages: string[], kind: keyof typeof KINDS, text: string}[]} */
function readChangesets() {
  const folder = join(root, '.changeset');
  return changesetFiles(readdirSync(folder)).map((file) => {
    const [, head, text] = /^---\n(.*?)---\n(.*)$/s.exec(readFileSync(join(folder, file), 'utf8')) ?? [];
    if (head === undefined) throw new SetupError(`.changeset/${file} has no packages`);
    const named = [...head.matchAll(/^["']?(@svc\/[\w-]+)["']?: (major|minor|patch)$/gm)];
    const kind = Object.keys(KINDS).find((one) => named.some(([, , found]) => found === one));
    if (kind === undefined) throw new SetupError(`.changeset/${file} names no package`);
    return { name: file, packages: named.map(([, name]) => name.slice('@svc/'.length)), kind, text: text.trim() };
  });
}

/** What an operator has to know, compared with the former release: settings and migrations that came or went. */
function differences(commit) {
  const folder = 'apps/api/src/db/migrations/';
  const before = new Set(git('ls-tree', '--name-only', commit, folder).split('\n'));
  const now = readdirSync(join(root, folder)).filter((file) => /^\d{4}-/.test(file) && !before.has(folder + file));
  const settingsIn = (text) => new Set([...text.matchAll(/^\| `([A-Z][A-Z0-9_]+)` \|/gm)].map(([, name]) => name));
  const rows = (...at) => git('grep', '-hE', '^\\| `[A-Z][A-Z0-9_]+` \\|', ...at, '--', 'docs');
  const [old, present] = [rows(commit), rows()].map(settingsIn);
  const list = (names) => [...names].map((name) => `\`${name}\``).join(', ');
  const added = [...present].filter((name) => !old.has(name));
  const gone = [...old].filter((name) => !present.has(name));
  return [
    now.length === 0 ? '' : `- Migrations: ${list(now.map((file) => file.replace(/\.ts$/, '')))}.`,
    added.length === 0 ? '' : `- New settings: ${list(added)}.`,
    gone.length === 0 ? '' : `- Settings that are refused now: ${list(gone)}.`,
  ].filter((line) => line !== '');
}

const TITLE = '# Changes of the deployment and of all packages\n\n';
/** The CHANGELOG below its title, by versions; the first one may be `Unreleased`. */
const readChangelog = () =>
  readFileSync(CHANGELOG, 'utf8')
    .slice(TITLE.length)
    .split(/^(?=## )/m);

/** The section of a version: what is written under `Unreleased` already, and what changesets and sources say. */
function entryOf(changesets, version, commit) {
  const [, unreleased = ''] = /^## Unreleased\n+(.*)$/s.exec(readChangelog()[0]) ?? [];
  const itemsOf = (kind) =>
    changesets
      .filter((one) => one.kind === kind)
      .flatMap(({ text, packages }) => text.split(/\n{2,}/).map((item) => ({ item, packages })))
      .map(({ item, packages }) => `- ${item.replaceAll('\n', '\n  ')} _(${packages.join(', ')})_`);
  const items = [['For operators', differences(commit)]];
  for (const [kind, title] of Object.entries(KINDS)) items.push([title, itemsOf(kind)]);
  const groups = items.flatMap(([title, more]) => {
    const written = unreleased.split(/^### /m).find((part) => part.startsWith(`${title}\n`)) ?? '';
    const all = [written.slice(title.length).trim(), ...more].filter((item) => item !== '');
    return all.length === 0 ? [] : [`### ${title}\n\n${all.join('\n')}`];
  });
  return `${[`## ${version}`, ...groups].join('\n\n')}\n\n`;
}

/** The version that `changeset version` will give all packages. */
function nextVersion(changesets) {
  const [major, minor, patch] = productVersion().split('.').map(Number);
  const kinds = changesets.map(({ kind }) => kind);
  if (kinds.includes('major')) return `${major + 1}.0.0`;
  return kinds.includes('minor') ? `${major}.${minor + 1}.0` : `${major}.${minor}.${patch + 1}`;
}

/** What users read first of a release: how to get it, whom to ask, and its section of the CHANGELOG. */
function noteOf(version, section) {
  const { product, repository, scope, security, support } = readConfig();
  return `# ${product} ${version}

- Packages: \`npm install ${scope}/server-sdk@${version}\`, the others by [the README](${repository}/blob/v${version}/README.md).
- Operators: back up, then update as [operations](${repository}/blob/v${version}/docs/operate/operations.md) says.
- Questions: ${support}. Weaknesses, in confidence: ${security}.

${section.replace(/^## .*\n+/, '')}`;
}

/** The commit of a release: its tag or, before there were tags, the newest commit of that name. */
const commitOf = (version) =>
  git('rev-parse', '--verify', '--quiet', `v${version}^{commit}`).trim() ||
  git('log', '-1', '--format=%H', '--grep', `^release: ${version.replaceAll('.', '\\.')}\\b`).trim() ||
  formerRelease().commit;

/** Documents and examples name the packages as they are published. */
function writeScope() {
  const { scope } = readConfig();
  for (const folder of ['docs', 'examples']) renameScope(join(root, folder), scope);
}

function makeVersion(changesets) {
  if (changesets.length === 0) throw new SetupError('there is no changeset to release');
  const expected = nextVersion(changesets);
  const former = { version: productVersion(), commit: commitOf(productVersion()) };
  // The release that the next one is tested against.
  writeFileSync(join(root, 'scripts', 'former-release.json'), `${JSON.stringify(former, null, 2)}\n`);
  run(process.execPath, ['scripts/tool.mjs', 'changeset', 'version']);
  const version = productVersion();
  if (version !== expected) throw new SetupError(`changesets made ${version}, not ${expected}`);
  writeVersions();
  writeScope();
  const before = readChangelog().filter((section) => !section.startsWith('## Unreleased'));
  writeFileSync(CHANGELOG, TITLE + entryOf(changesets, version, former.commit) + before.join(''));
  process.stdout.write(
    `release: ${version} of ${changesets.length} changesets. Read CHANGELOG.md and commit; then --rehearse, --registry\n`,
  );
}

async function pack() {
  const out = join(root, 'release', `npm-${productVersion()}`);
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  for (const { path } of await stage(out, readConfig())) process.stdout.write(`${path}\n`);
}

script(async () => {
  const { values: options } = parseArgs({
    options: {
      ...{ note: { type: 'boolean' }, registry: { type: 'string' }, 'dry-run': { type: 'boolean' } },
      ...{ pack: { type: 'boolean' }, rehearse: { type: 'boolean' } },
      ...{ only: { type: 'string', multiple: true }, node: { type: 'string' } },
    },
  });
  if (!existsSync(join(root, 'node_modules', '.bin', 'changeset'))) setup();
  const changesets = readChangesets();
  if (options.note) {
    const version = nextVersion(changesets);
    process.stdout.write(noteOf(version, entryOf(changesets, version, commitOf(productVersion()))));
    return;
  }
  if (options.registry === undefined && !options.rehearse && !options.pack) return makeVersion(changesets);
  if (!options['dry-run']) setup(['build', '--filter=./packages/*', '--filter=@svc/widget']);
  if (options.pack) return await pack();
  if (options.rehearse) {
    const { rehearse } = await import('./release/rehearse.mjs');
    return await rehearse(options);
  }
  const { release } = await import('./release/publish.mjs');
  const note = (version) =>
    noteOf(version, readChangelog().find((section) => section.startsWith(`## ${version}\n`)) ?? '');
  await release(options.registry, { changesets, isDry: options['dry-run'] === true, note });
});
