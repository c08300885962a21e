// `npm run release`: makes the next version of the pending changesets (docs/releasing.md): the packages' versions by
// `changeset version`, the CHANGELOG, and every other place that names the version.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formerRelease } from './lib/former-release.mjs';
import { root, run, SetupError, script, setup } from './lib/setup.mjs';
import { productVersion, writeVersions } from './lib/versions.mjs';

const CHANGELOG = join(root, 'CHANGELOG.md');
const KINDS = { major: 'Major', minor: 'New and changed', patch: 'Fixed' };

const git = (...args) => spawnSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 }).stdout;

/** @returns {{name: string, packages: string[], kind: keyof typeof KINDS, text: string}[]} */
function readChangesets() {
  const folder = join(root, '.changeset');
  const files = readdirSync(folder).filter((file) => file.endsWith('.md') && file !== 'README.md');
  return files.sort().map((file) => {
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
  const operations = 'docs/operations.md';
  const [old, present] = [git('show', `${commit}:${operations}`), readFileSync(join(root, operations), 'utf8')].map(
    settingsIn,
  );
  const list = (names) => [...names].map((name) => `\`${name}\``).join(', ');
  const added = [...present].filter((name) => !old.has(name));
  const gone = [...old].filter((name) => !present.has(name));
  return [
    now.length === 0 ? '' : `- Migrations: ${list(now.map((file) => file.replace(/\.ts$/, '')))}.`,
    added.length === 0 ? '' : `- New settings: ${list(added)}.`,
    gone.length === 0 ? '' : `- Settings that are refused now: ${list(gone)}.`,
  ].filter((line) => line !== '');
}

function entryOf(changesets, version, commit) {
  const operator = differences(commit);
  const groups = Object.entries(KINDS).flatMap(([kind, title]) => {
    const own = changesets.filter((one) => one.kind === kind);
    const items = own.map(
      ({ text, packages }) => `- ${text.replaceAll(/\n(?=.)/g, '\n  ')} _(${packages.join(', ')})_`,
    );
    return own.length === 0 ? [] : [`### ${title}\n\n${items.join('\n')}`];
  });
  const upgrade = operator.length === 0 ? [] : [`### For operators\n\n${operator.join('\n')}`];
  return `${[`## ${version}`, ...upgrade, ...groups].join('\n\n')}\n`;
}

/** The release that the next one is tested against: the one that is tagged, not the one that is being made. */
function moveFormerRelease(version) {
  const commit = git('rev-parse', '--verify', '--quiet', `v${version}^{commit}`).trim();
  if (commit === '') {
    process.stdout.write(`release: no tag v${version}; scripts/former-release.json stays as it is\n`);
    return;
  }
  const file = join(root, 'scripts', 'former-release.json');
  writeFileSync(file, `${JSON.stringify({ version, commit }, null, 2)}\n`);
}

script(() => {
  if (!existsSync(join(root, 'node_modules', '.bin', 'changeset'))) setup();
  const changesets = readChangesets();
  if (changesets.length === 0) throw new SetupError('there is no changeset to release');
  moveFormerRelease(productVersion());
  run(process.execPath, ['scripts/tool.mjs', 'changeset', 'version']);
  const version = productVersion();
  writeVersions();
  const title = '# Changes of the deployment and of all packages\n';
  const before = existsSync(CHANGELOG) ? readFileSync(CHANGELOG, 'utf8').slice(title.length) : '';
  writeFileSync(CHANGELOG, `${title}\n${entryOf(changesets, version, formerRelease().commit)}${before}`);
  process.stdout.write(
    `release: ${version} of ${changesets.length} changesets. Read CHANGELOG.md, commit, tag v${version}\n`,
  );
});
