import { loadCore } from '@svc/core';
import { type ModelName, type PassiveModelName, passiveModelNames, passiveNetworks } from '@svc/face-models';
import { describe, expect, it } from 'vitest';
import { FakeRuntime } from '../testing/fake-runtime.ts';
import { bundleOf, calibrationOf, saying } from '../testing/passive-fixtures.ts';
import { openPassiveLiveness } from './open-passive-liveness.ts';

const { presence: own, minifasnet: addOn, 'presence-minifasnet': both } = passiveNetworks;
const enabled: readonly PassiveModelName[] = ['presence-minifasnet', 'presence'];
const disabled: readonly PassiveModelName[] = ['minifasnet'];

/** Networks there, the manifest's defaults, and what is asked for. */
interface Asked {
  readonly there: readonly ModelName[];
  readonly defaults: readonly PassiveModelName[];
  readonly model?: PassiveModelName | null;
}

/** @param networks whose the runtime hands out */
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

  it('is none where none is wanted', async () => {
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
