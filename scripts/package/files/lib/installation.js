/** Tells the programs where the release lies that they belong to. */

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { arch, env, exit, platform, stderr, versions } from 'node:process';
import { fileURLToPath } from 'node:url';

env.SVC_RELEASE = join(dirname(fileURLToPath(import.meta.url)), '..');
// Empty counts as absent, as with every setting.
env.SVC_MODELS_DIR ||= join(env.SVC_RELEASE, 'models');

const { node, platform: wanted } = JSON.parse(readFileSync(join(env.SVC_RELEASE, 'release.json'), 'utf8'));
const [[least, leastMinor], [major, minor]] = [node.replace('>=', ''), versions.node].map((text) =>
  text.split('.').map(Number),
);
if (major < least || (major === least && minor < leastMinor)) {
  stderr.write(`Node ${versions.node} is too old: this release needs ${node}\n`);
  exit(1);
}
if (wanted !== `${platform}-${arch}`) {
  stderr.write(`this release is for ${wanted}, and this machine is ${platform}-${arch}\n`);
  exit(1);
}
