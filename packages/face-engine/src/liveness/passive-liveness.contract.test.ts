import { minifasnetCalibration, type PassiveModelName, passiveNetworks } from '@svc/face-models';
import { describe, expect, it } from 'vitest';
import { FakeRuntime } from '../testing/fake-runtime.ts';
import { bundleOf, calibrationOf, optionsFor, saying, scorableFace, scoreOf } from '../testing/passive-fixtures.ts';
import type { FaceAnalysis } from '../types.ts';
import { createMiniFasNet, createPresence, createPresenceMiniFasNet } from './open-passive-liveness.ts';

const { scorable } = minifasnetCalibration;

describe.each([
  ['presence', createPresence, [[2], [1]]],
  [
    'minifasnet',
    createMiniFasNet,
    [
      [0.1, 0.8, 0.1],
      [0.3, 0.6, 0.1],
    ],
  ],
  ['presence-minifasnet', createPresenceMiniFasNet, [[2], [1], [0.1, 0.8, 0.1], [0.3, 0.6, 0.1]]],
] as const)('the passive check %s', (name: PassiveModelName, create, outputs) => {
  const networks = () => saying(name, ...outputs);

  it('says what it is and how its scores are read', async () => {
    const liveness = await create(await optionsFor(name, networks()));
    expect([liveness.name, liveness.calibration]).toEqual([name, calibrationOf(name)]);
    liveness.dispose();
  });

  it('scores a frame from 0 to 1, by each of its networks once', async () => {
    const models = networks();
    const options = await optionsFor(name, models);
    const liveness = await create(options);
    const runsAtStart = models.map(({ runs }) => runs);
    const score = await scoreOf(options.core, liveness);
    expect(score).toBeGreaterThan(0.5);
    expect(score).toBeLessThan(1);
    expect(models.map(({ runs }, i) => runs - (runsAtStart[i] ?? 0))).toEqual(models.map(() => 1));
    liveness.dispose();
  });

  it('scores a face as large as a tablet at arm’s length or a phone at 35 cm shows it', async () => {
    const options = await optionsFor(name, networks());
    const liveness = await create(options);
    // Context scales of 1.31 and 1.98.
    for (const width of [284, 188]) {
      expect(await scoreOf(options.core, liveness, scorableFace({}, width))).not.toBeNull();
    }
    liveness.dispose();
  });

  it.each<[string, FaceAnalysis]>([
    ['fills too much of the frame', scorableFace({}, 287)],
    ['is too small', scorableFace({ interEyePx: scorable.interEyePx - 1 })],
    ['is too dark', scorableFace({ brightness: 0.01 })],
    ['is burnt out', scorableFace({ overexposed: 0.9 })],
    ['is blurred', scorableFace({ sharpness: 0.01 })],
    ['cannot be measured', scorableFace({ sharpness: Number.NaN })],
  ])('does not score a face that %s', async (_, face) => {
    const models = networks();
    const options = await optionsFor(name, models);
    const liveness = await create(options);
    const runsAtStart = models.map(({ runs }) => runs);
    expect(await scoreOf(options.core, liveness, face)).toBeNull();
    expect(models.map(({ runs }) => runs)).toEqual(runsAtStart);
  });

  it('keeps to the limits of its own calibration', async () => {
    const calibration = calibrationOf(name, { scorable: { ...scorable, brightness: 0.6 } });
    const options = await optionsFor(name, networks(), calibration);
    const liveness = await create(options);
    expect(await scoreOf(options.core, liveness, scorableFace({ brightness: 0.5 }))).toBeNull();
    expect(await scoreOf(options.core, liveness, scorableFace({ brightness: 0.7 }))).not.toBeNull();
  });

  it('fails rather than give a score that is not a number', async () => {
    for (const broken of outputs.keys()) {
      const models = saying(
        name,
        ...outputs.map((output, i) => (i === broken ? output.map(() => Number.NaN) : output)),
      );
      const options = await optionsFor(name, models);
      const liveness = await create(options);
      await expect(scoreOf(options.core, liveness)).rejects.toMatchObject({ code: 'runtime-failed' });
    }
  });

  it('refuses networks that came without their calibration, or with another model’s', async () => {
    const options = await optionsFor(name, []);
    for (const passiveLiveness of [[], [calibrationOf(name === 'presence' ? 'minifasnet' : 'presence')]]) {
      const bundle = bundleOf(passiveNetworks[name], { passiveLiveness });
      await expect(create({ ...options, bundle })).rejects.toMatchObject({ code: 'model-mismatch' });
    }
  });

  it('answers model-missing without any of its networks', async () => {
    const options = await optionsFor(name, []);
    for (const missing of passiveNetworks[name]) {
      const rest = passiveNetworks[name].filter((network) => network !== missing);
      const bundle = bundleOf(rest, { passiveLiveness: [calibrationOf(name)] });
      const refused = create({ ...options, bundle });
      await expect(refused).rejects.toMatchObject({ code: 'model-missing', message: expect.stringContaining(missing) });
    }
  });

  it('frees every network when it is disposed, and those that were opened when one is not', async () => {
    const models = networks();
    (await create(await optionsFor(name, models))).dispose();
    expect(models.map(({ disposed }) => disposed)).toEqual(models.map(() => true));
    const some = networks().slice(0, -1);
    const options = { ...(await optionsFor(name, [])), runtime: new FakeRuntime(some) };
    await expect(create(options)).rejects.toThrow('no fake model left');
    expect(some.map(({ disposed }) => disposed)).toEqual(some.map(() => true));
  });
});
