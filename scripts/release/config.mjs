/** Who publishes what: release.config.json, and the packages that are not private. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, SetupError } from '../lib/setup.mjs';
import { manifestOf, workspaces } from '../lib/versions.mjs';

/** The scope in the sources; packages are published, and documents written, with that of the configuration. */
export const WORKSPACE_SCOPE = '@svc';

const FORMS = {
  product: /^[a-z][a-z0-9-]*$/,
  scope: /^@[a-z0-9][a-z0-9._-]*$/,
  repository: /^https:\/\/\S+(?<!\.git|\/)$/,
  support: /^https:\/\/\S+$/,
  security: /^\S+@\S+\.\S+$/,
};

/** @throws SetupError for a field that is missing, unknown or malformed */
export function readConfig(text = readFileSync(join(root, 'release.config.json'), 'utf8')) {
  const { '//': _, ...config } = JSON.parse(text);
  for (const name of Object.keys({ ...FORMS, ...config }))
    if (!FORMS[name]?.test(config[name])) throw new SetupError(`release.config.json: ${name} is ${config[name]}`);
  return config;
}

/** The fields that nobody has filled in yet. */
export const placeholdersIn = (config) => Object.keys(config).filter((name) => /\.example\b/.test(config[name]));

/** Every package that is published: its folder and its name without a scope. `core` and `device-sdk-native`, which others need, come first. */
export function publishedPackages() {
  return workspaces().flatMap((folder) => {
    const manifest = manifestOf(folder);
    return manifest.private === true ? [] : [{ folder, short: manifest.name.slice(WORKSPACE_SCOPE.length + 1) }];
  });
}

/** The changesets that wait for a release. */
export const changesetFiles = (files) => files.filter((file) => file.endsWith('.md') && file !== 'README.md').sort();

export const pnpmScript = join(root, '.tools', 'node_modules', 'pnpm', 'bin', 'pnpm.cjs');
