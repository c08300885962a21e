// Holds the layer rules, and first shows that they can fail: each probe below breaks one rule and must be refused.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { root } from './lib/setup.mjs';

const depcruise = join(root, 'node_modules', '.bin', 'depcruise');
const cruise = (...args) =>
  spawnSync(depcruise, ['--config', '.dependency-cruiser.mjs', ...args], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });

/** Folder the offending file is put into, what it says, and the rule that must refuse it. */
const probes = [
  ['packages/core/src', "export * from '@svc/protocol';", 'no-orphan-names'],
  ['packages/core/src', "export * from '../../../protocol/src/index.ts';", 'room:core'],
  ['packages/device-sdk/src', "export * from '@svc/core/evaluation';", 'no-identification-on-devices'],
  ['packages/device-sdk/src', "export * from 'node:fs';", 'portable-packages-know-no-node'],
  ['apps/widget/src/loader', "export * from 'preact';", 'loader-imports-only-messages'],
  ['apps/api/src/features/lists', "export * from 'knex';", 'only-stores-know-knex'],
  ['benchmarks/speed', "export * from '../../../packages/core/src/index.ts';", 'public-entry-points-only'],
];

const PREFIX = 'layer-probe-';

/** Also those that a run left which was broken off. */
function removeProbes() {
  for (const [folder] of probes)
    for (const name of readdirSync(join(root, folder)))
      if (name.startsWith(PREFIX)) rmSync(join(root, folder, name), { recursive: true, force: true });
}

const demanded = new Map();
removeProbes();
try {
  for (const [folder, source, rule] of probes) {
    const probe = mkdtempSync(join(root, folder, PREFIX));
    writeFileSync(join(probe, 'probe.ts'), `${source}\n`);
    demanded.set(relative(root, probe), rule);
  }
  const { stdout, stderr, status } = cruise('--output-type', 'err', ...demanded.keys());
  const lines = stdout.split('\n');
  for (const [probe, rule] of demanded) {
    const caught = lines.some((line) => line.includes(`error ${rule}: ${probe}`));
    if (caught && status !== 0) continue;
    process.stderr.write(`the rule «${rule}» let its probe through\n${stderr}`);
    process.exitCode = 1;
  }
} finally {
  removeProbes();
}
if (process.exitCode === undefined) process.stdout.write(`${probes.length} probes, each refused by its rule\n`);

const { stdout, stderr, status } = cruise('--output-type', 'err', 'wasm', 'packages', 'apps', 'benchmarks');
process.stdout.write(`${stdout}${stderr}`);
if (status !== 0) process.exitCode = 1;
