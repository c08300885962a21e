import { loadCore } from '@svc/core';
import { type ModelName, type PassiveModelName, passiveModelNames, passiveNetworks } from '@svc/face-models';
import { describe, expect, it } from 'vitest';
import { FakeRuntime } from '../testing/fake-runtime.ts';
import { bundleOf, calibrationOf, optionsFor, saying, scorableFace, scoreOf } from '../testing/passive-fixtures.ts';
import {
  createMiniFasNet,
  createPresence,
  createPresenceMiniFasNet,
  openPassiveLiveness,
} from './open-passive-liveness.ts';

it('minifasnet gives the mean of both networks’ live probability, of bytes as they are', async () => {
  const models = saying('minifasnet', [0.1, 0.8, 0.1], [0.3, 0.6, 0.1]);
  const options = await optionsFor('minifasnet', models);
  const liveness = await createMiniFasNet(options);
  expect(await scoreOf(options.core, liveness, undefined, 200)).toBeCloseTo(0.7);
  for (const { lastInput } of models) expect(new Set(lastInput)).toEqual(new Set([200]));
});

async function scoreWith(context: number, texture: number): Promise<number | null> {
  const options = await optionsFor('presence', saying('presence', [context], [texture]));
  return scoreOf(options.core, await createPresence(options));
}

describe('presence', () => {
  it.each([
    [0, 0, 0.5],
    [2, -2, 0.5],
    [Math.log(4), 0, 0.65],
    [Math.log(4), Math.log(9), 0.85],
    [-100, 900, 0.5],
    [-100, -900, 0],
    [100, 900, 1],
  ])('has the mean of both probabilities: %d and %d', async (context, texture, score) => {
    expect(await scoreWith(context, texture)).toBeCloseTo(score, 6);
  });

  it.each([
    [0, -1],
    [255, 1],
    [51, -0.6],
  ])('sees a byte of %d as %d', async (byte, value) => {
    const models = saying('presence', [0], [0]);
    const options = await optionsFor('presence', models);
    await scoreOf(options.core, await createPresence(options), scorableFace(), byte);
    expect(models.map(({ lastInput }) => lastInput.length)).toEqual([80 * 80 * 3, 80 * 80 * 3]);
    for (const { lastInput } of models) {
      expect(Math.min(...lastInput)).toBeCloseTo(value, 5);
      expect(Math.max(...lastInput)).toBeCloseTo(value, 5);
    }
  });

  it('looks at the surroundings with one network and at the face with the other', async () => {
    const models = saying('presence', [0], [0]);
    const options = await optionsFor('presence', models);
    const liveness = await createPresence(options);
    const face = scorableFace();
    // White face, black background.
    const data = new Uint8Array(640 * 480 * 3);
    for (let y = 160; y < 320; y++) data.fill(255, (y * 640 + 260) * 3, (y * 640 + 380) * 3);
    const image = options.core.image({ data, width: 640, height: 480, channels: 3 });
    await liveness.score(image, face);
    image.dispose();
    const share = models.map(({ lastInput }) => lastInput.filter((value) => value > 0).length / lastInput.length);
    // The liveness box is 1.123 times as wide and 0.966 times as high as the mesh's; the frame has room for 3.1 boxes
    // vertically.
    expect(share[0]).toBeCloseTo(1 / (1.123 * 0.966 * 3.1 ** 2), 1);
    expect(share[1]).toBeCloseTo(1 / (1.123 * 0.966 * 2.7 ** 2), 1);
  });
});

/** presence scores 0.8, MiniFASNet 0.4. */
const networks = () => saying('presence-minifasnet', [Math.log(4)], [Math.log(4)], [0.3, 0.5, 0.2], [0.3, 0.3, 0.4]);

it.each([
  ['half', { weight: 0.5 }, 0.6],
  ['a quarter', { weight: 0.25 }, 0.5],
  ['all', { weight: 1 }, 0.8],
  ['nothing', { weight: 0 }, 0.4],
])('presence counts %s', async (_, over, score) => {
  const calibration = calibrationOf('presence-minifasnet', over);
  const options = await optionsFor('presence-minifasnet', networks(), calibration);
  expect(await scoreOf(options.core, await createPresenceMiniFasNet(options))).toBeCloseTo(score, 6);
});

const { presence: own, minifasnet: addOn, 'presence-minifasnet': both } = passiveNetworks;
const enabled: readonly PassiveModelName[] = ['presence-minifasnet', 'presence'];
const disabled: readonly PassiveModelName[] = ['minifasnet'];

/** Installed networks, the manifest's defaults, and the requested model. */
interface Asked {
  readonly there: readonly ModelName[];
  readonly defaults: readonly PassiveModelName[];
  readonly model?: PassiveModelName | null;
}

/** @param networks the model whose networks the runtime returns */
async function openedName({ there, defaults, model }: Asked, networks: PassiveModelName | null) {
  const passiveLiveness = passiveModelNames.map((name) => calibrationOf(name));
  const options = {
    core: await loadCore(),
    runtime: new FakeRuntime(networks === null ? [] : saying(networks)),
    bundle: bundleOf(there, { passiveLiveness, passiveDefaults: defaults }),
  };
  return (await openPassiveLiveness(options, model))?.name ?? null;
}

describe('the passive check of a bundle', () => {
  it.each<[string, Asked, PassiveModelName | null]>([
    ['enabled, with the add-on', { there: both, defaults: enabled }, 'presence-minifasnet'],
    ['enabled, alone', { there: own, defaults: enabled }, 'presence'],
    ['enabled, with half an add-on', { there: [...own, 'minifasnet-v2'], defaults: enabled }, 'presence'],
    ['disabled, with the add-on', { there: both, defaults: disabled }, 'minifasnet'],
    ['disabled, alone', { there: own, defaults: disabled }, null],
  ])('where presence is %s', async (_, asked, expected) => {
    expect(await openedName(asked, expected)).toBe(expected);
  });

  it.each(passiveModelNames)('is %s where that is named, whatever the default', async (model) => {
    for (const defaults of [enabled, disabled]) {
      expect(await openedName({ there: both, defaults, model }, model)).toBe(model);
    }
  });

  it('is null if none is requested', async () => {
    expect(await openedName({ there: both, defaults: enabled, model: null }, null)).toBeNull();
  });

  it('is not replaced by another where the one that is named is not there', async () => {
    const missing = { code: 'model-missing' };
    await expect(openedName({ there: own, defaults: enabled, model: 'minifasnet' }, 'presence')).rejects.toMatchObject(
      missing,
    );
    await expect(
      openedName({ there: addOn, defaults: disabled, model: 'presence' }, 'minifasnet'),
    ).rejects.toMatchObject(missing);
  });

  it.each(['', 'presense', 'toString'])('is refused where no model has the name «%s»', async (name) => {
    const asked = { there: both, defaults: enabled, model: name as PassiveModelName };
    await expect(openedName(asked, null)).rejects.toMatchObject({ code: 'configuration-invalid' });
  });
});
