// Holds the layer rules, and first shows that they can fail: each probe below breaks one rule and must be refused.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './lib/setup.mjs';

const depcruise = join(root, 'node_modules', '.bin', 'depcruise');
const cruise = (...args) => spawnSync(depcruise, ['--config', '.dependency-cruiser.mjs', ...args], { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26 });

/** Folder the offending file is put into, what it says, and the rule that must refuse it. */
const probes = [
  ['packages/core/src', "export * from '@svc/protocol';", 'no-orphan-names'],
  ['packages/core/src', "export * from '../../../protocol/src/index.ts';", 'room:core'],
  ['packages/device-sdk/src', "export * from '@svc/core/evaluation';", 'no-identification-on-devices'],
  ['packages/device-sdk/src', "export * from 'node:fs';", 'portable-packages-know-no-node'],
  ['apps/api/src/features/lists', "export * from 'knex';", 'only-stores-know-knex'],
  ['benchmarks/src', "export * from '../../packages/core/src/index.ts';", 'public-entry-points-only'],
];

const demanded = new Map();
const made = [];
try {
  for (const [folder, source, rule] of probes) {
    const probe = mkdtempSync(join(root, folder, 'layer-probe-'));
    made.push(probe);
    writeFileSync(join(probe, 'probe.ts'), `${source}\n`);
    demanded.set(probe, rule);
  }
  const { stdout, stderr, status } = cruise('--output-type', 'json', ...made);
  if (!stdout) throw new Error(`dependency-cruiser said nothing: ${stderr}`);
  const violations = JSON.parse(stdout).summary.violations;
  for (const [probe, rule] of demanded) {
    const caught = violations.some((v) => v.rule.name === rule && join(root, v.from).startsWith(probe));
    if (!caught || status === 0) {
      process.stderr.write(`the rule «${rule}» let its probe through\n`);
      process.exitCode = 1;
    }
  }
} finally {
  for (const probe of made) rmSync(probe, { recursive: true, force: true });
}
process.stdout.write(`${probes.length} probes, each refused by its rule\n`);

const { stdout, stderr, status } = cruise('--output-type', 'err', 'wasm', 'packages', 'apps', 'benchmarks');
process.stdout.write(`${stdout}${stderr}`);
if (status !== 0) process.exitCode = 1;
