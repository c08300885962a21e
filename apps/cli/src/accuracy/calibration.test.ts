import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { engineRecipes } from '@svc/face-models';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { exitCodes } from '../cli-error.ts';
import { runSvcHere } from '../testing/run-svc.ts';
import { type CalibrationReport, describeCalibration } from './calibration.ts';

const hasData = existsSync(fileURLToPath(new URL('../../../../../shared/data', import.meta.url)));
if (!hasData) process.stdout.write('skipped: no ../shared (calibration without an add-on)\n');
const [{ engineId, model }] = engineRecipes;

describe('evaluate --report calibration', () => {
  let empty: string;
  beforeAll(async () => {
    empty = await mkdtemp(join(tmpdir(), 'svc-calibration-'));
    vi.stubEnv('SVC_MODELS_DIR', empty);
  });
  afterAll(() => {
    vi.unstubAllEnvs();
    return rm(empty, { recursive: true, force: true });
  });
  const calibration = (...args: string[]) => runSvcHere(['evaluate', '--report', 'calibration', ...args]);

  it('needs an engine and the photo sets', async () => {
    const unnamed = await calibration();
    expect([unnamed.code, unnamed.stderr]).toEqual([exitCodes.usage, expect.stringContaining('needs --engine')]);
    const bare = await calibration('--engine', engineId, '--data', empty);
    expect([bare.code, bare.stderr]).toEqual([exitCodes.usage, expect.stringContaining('lacks faces/congress')]);
  });

  it.skipIf(!hasData)('says how to install the engine that it lacks', async () => {
    const run = await calibration('--engine', engineId);
    expect(run.code).toBe(exitCodes.environment);
    expect(run.stderr).toContain(`models add ${model}`);
  });

  it('accepts no engine option with the accuracy report', async () => {
    const run = await runSvcHere(['evaluate', '--report', 'accuracy', '--engine', engineId]);
    expect([run.code, run.stderr]).toEqual([exitCodes.usage, expect.stringContaining('leave --engine out')]);
  });
});

it('reports for each number whether it meets its rule', () => {
  const report: CalibrationReport = {
    kind: 'calibration',
    engineId,
    numbers: [
      { name: 'matchThreshold', shipped: 0.47, measured: 0.47, meets: true, note: '' },
      { name: 'turnedMargin', shipped: 0.01, measured: 0.0234, meets: false, note: '' },
      { name: 'enrolmentLimits.coverage', shipped: 0.9, measured: null, meets: true, note: '' },
    ],
    turned: [],
    holds: false,
  };
  const text = describeCalibration(report);
  expect(text).toMatch(/matchThreshold +0\.47 +0\.47 +yes\n/);
  expect(text).toMatch(/turnedMargin +0\.01 +0\.0234 +NO\n/);
  expect(text).toMatch(/coverage +0\.9 +– +–\n/);
  expect(text).toContain('Not every shipped number');
});
