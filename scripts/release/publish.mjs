/** `npm run release -- --registry URL`: the packages, what is known of where they come from, and the tag. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { root, run, SetupError } from '../lib/setup.mjs';
import { manifestOf } from '../lib/versions.mjs';
import { writePackagesBom } from '../package/sbom.mjs';
import { placeholdersIn, publishedPackages, readConfig } from './config.mjs';
import { stage } from './stage.mjs';

const isHere = (registry) => ['127.0.0.1', '[::1]', 'localhost'].includes(new URL(registry).hostname);

/** Why nothing may be published. @param state the tree, the tag `vX.Y.Z` and what waits for a release */
export function refusalsOf({ changed, changesets, config, head, registry, tagged }) {
  const placeholders = placeholdersIn(config);
  return [
    changed !== '' && `the tree has changes; commit them:\n${changed}`,
    changesets.length > 0 && `${changesets.length} changesets wait: \`npm run release\` makes their version first`,
    !isHere(registry) && placeholders.length > 0 && `release.config.json has placeholders: ${placeholders.join(', ')}`,
    tagged !== '' && tagged !== head && `the tag of this version is at another commit, ${tagged}`,
  ].filter((refusal) => refusal !== false);
}

/** npm asks for provenance of its own only where it can prove the machine: two kinds of CI. */
const provenanceFlags = ({ ACTIONS_ID_TOKEN_REQUEST_URL, SIGSTORE_ID_TOKEN }) =>
  ACTIONS_ID_TOKEN_REQUEST_URL || SIGSTORE_ID_TOKEN ? ['--provenance'] : [];

const numbers = (version) => version.split('-')[0].split('.').map(Number);
/** `latest` unless a newer one is there: a fix of a former release does not replace it. */
export function distTag(version, latest) {
  if (version.includes('-')) return 'next';
  const [mine, theirs] = [numbers(version), latest === null ? [] : numbers(latest)];
  const at = mine.findIndex((number, i) => number !== theirs[i]);
  return at < 0 || latest === null || mine[at] > theirs[at] ? 'latest' : `v${mine[0]}.${mine[1]}`;
}

/**
 * What npm's registry settings have to be, for this scope and all others.
 * @param token of a registry that has no accounts
 */
function npmAt(registry, { scope }, token) {
  const auth = token === undefined ? [] : [`--//${new URL(registry).host}/:_authToken=${token}`];
  const flags = [`--registry=${registry}`, `--${scope}:registry=${registry}`, ...auth];
  return {
    /** @returns null for a package that is not there; `integrity` is null for a version that is not */
    look(name, version) {
      const view = (spec, field) => spawnSync('npm', ['view', spec, field, '--json', ...flags], { encoding: 'utf8' });
      const { status, stdout, stderr } = view(`${name}@${version}`, 'dist.integrity');
      if (/E404/.test(stdout + stderr)) return null;
      if (status !== 0) throw new SetupError(`${registry} does not answer: ${stderr}`);
      if (stdout.trim() !== '') return { integrity: JSON.parse(stdout) };
      return { integrity: null, latest: JSON.parse(view(name, 'version').stdout) };
    },
    publish: (path, ...more) =>
      run('npm', ['publish', path, '--access', 'public', '--ignore-scripts', '--loglevel=warn', ...flags, ...more], {
        quiet: token !== undefined,
      }),
  };
}

/**
 * Publishes what is not there yet. A version that is there with the same content is left; one with another content
 * stops everything before anything is published.
 * @param packages as {@link stage} returns them
 * @returns the names that were published now
 */
export function publish(packages, registry, config, { token, log = () => {} } = {}) {
  const npm = npmAt(registry, config, token);
  const missing = packages.flatMap((each) => {
    const { name, version, integrity } = each;
    const there = npm.look(name, version);
    const found = there?.integrity ?? null;
    if (found !== null && found !== integrity)
      throw new SetupError(`${name} ${version} is at ${registry} with another content; make another version`);
    log(`${name} ${version}: ${found === null ? 'to be published' : 'is there'}`);
    return found === null ? [{ ...each, latest: there?.latest ?? null }] : [];
  });
  for (const { name, version, path, latest } of missing) {
    npm.publish(path, '--tag', distTag(version, latest), ...provenanceFlags(process.env));
    log(`${name} ${version}: published`);
  }
  return missing.map(({ name }) => name);
}

const purl = ({ name, version }) => `pkg:npm/${name.replace('@', '%40')}@${version}`;
const sha256 = (path) => createHash('sha256').update(readFileSync(path)).digest('hex');

/** An in-toto statement with SLSA's provenance: which commit and lockfile the tarballs were made of. It has no signature of its own. */
export function statementOf(packages, { repository, scope }, { commit, seconds }) {
  const version = packages[0].version;
  const digest = ({ integrity }) => Buffer.from(integrity.split('-')[1], 'base64').toString('hex');
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: packages.map((each) => ({ name: purl(each), digest: { sha512: digest(each) } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: `${repository}/blob/v${version}/docs/internals/releasing.md`,
        externalParameters: { scope, version },
        resolvedDependencies: [
          { uri: `git+${repository}.git@refs/tags/v${version}`, digest: { gitCommit: commit } },
          { uri: 'pnpm-lock.yaml', digest: { sha256: sha256(join(root, 'pnpm-lock.yaml')) } },
        ],
      },
      runDetails: {
        builder: { id: `${repository}/blob/v${version}/scripts/release.mjs`, version: { node: process.versions.node } },
        metadata: { startedOn: new Date(seconds * 1_000).toISOString() },
      },
    },
  };
}

/**
 * Tags a commit, signed where git's settings name a key. The message holds the digest of the provenance statement, so
 * that the signature covers the tarballs too.
 * @returns whether it is signed
 */
export function tagCommit(name, message, cwd = root) {
  const isSigned = spawnSync('git', ['config', 'user.signingkey'], { cwd }).status === 0;
  run('git', ['tag', isSigned ? '-s' : '-a', name, '-m', message], { cwd });
  return isSigned;
}

const git = (...args) => spawnSync('git', args, { cwd: root, encoding: 'utf8' }).stdout.trim();
const say = (line) => process.stdout.write(`release: ${line}\n`);

/** @param isDry only says what would be done */
export async function release(registry, { changesets, isDry, note }) {
  if (!URL.canParse(registry)) throw new SetupError(`--registry ${registry} is no URL`);
  const config = readConfig();
  const version = manifestOf(publishedPackages()[0].folder).version;
  const tag = `v${version}`;
  const head = git('rev-parse', 'HEAD');
  const tagged = git('rev-parse', '--verify', '--quiet', `${tag}^{commit}`);
  const refusals = refusalsOf({
    ...{ changed: git('status', '--porcelain'), changesets, config, head, registry, tagged },
  });
  for (const refusal of refusals) say(refusal);
  for (const { short, folder } of publishedPackages()) say(`${config.scope}/${short} ${version} of ${folder}`);
  if (refusals.length > 0) throw new SetupError('release: published nothing');
  if (isDry) return say(`would be published at ${registry}, and ${tag} tagged`);

  const out = join(root, 'release', `npm-${version}`);
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const packages = await stage(out, config);
  const origin = { commit: head, seconds: Number(git('log', '-1', '--format=%ct')) };
  const statement = join(out, 'provenance.intoto.json');
  writeFileSync(statement, `${JSON.stringify(statementOf(packages, config, origin), null, 2)}\n`);
  writePackagesBom(join(out, 'sbom.cdx.json'), packages, { ...config, version, ...origin });
  const digests = packages.map(({ path }) => `${sha256(path)}  ${basename(path)}\n`).join('');
  writeFileSync(join(out, 'release-note.md'), `${note(version)}\n## SHA-256\n\n\`\`\`\n${digests}\`\`\`\n`);
  publish(packages, registry, config, { log: say });
  if (provenanceFlags(process.env).length === 0)
    say('without npm’s own provenance, which only GitHub Actions and GitLab CI can prove');
  if (tagged === '') {
    const message = `${config.product} ${version}\n\nprovenance.intoto.json sha256:${sha256(statement)}\n`;
    const isSigned = tagCommit(tag, message);
    say(`tagged ${tag}${isSigned ? '' : ', unsigned: git has no user.signingkey'}; now: git push origin ${tag}`);
  }
  say(`${out} has the tarballs, their statement, sbom.cdx.json and release-note.md`);
}
