import { ModelError } from './model-error.ts';
import type { ModelManifest, ModelName } from './types.ts';

/**
 * Names of the passive-liveness models in calibrations, results and options: the project's own, the add-on, and both
 * together.
 */
export const passiveModelNames = ['presence', 'minifasnet', 'presence-minifasnet'] as const;
/** Name of a passive-liveness model. */
export type PassiveModelName = (typeof passiveModelNames)[number];

const presence = ['passive-context', 'passive-texture'] as const;
const minifasnet = ['minifasnet-v2', 'minifasnet-v1se'] as const;

/** The networks of each passive model. */
export const passiveNetworks: Readonly<Record<PassiveModelName, readonly ModelName[]>> = {
  presence,
  minifasnet,
  'presence-minifasnet': [...presence, ...minifasnet],
};

export const isPassiveModelName = (value: unknown): value is PassiveModelName =>
  passiveModelNames.some((name) => name === value);

/** Passive models whose networks are all in the bundle. */
export const passiveModelsIn = ({ models }: ModelManifest): readonly PassiveModelName[] =>
  passiveModelNames.filter((name) => passiveNetworks[name].every((network) => models[network] !== undefined));

/** The default passive model; null if none is available, and no passive check runs. */
export function defaultPassiveModel(manifest: ModelManifest): PassiveModelName | null {
  const there = passiveModelsIn(manifest);
  return manifest.passiveDefaults?.find((name) => there.includes(name)) ?? null;
}

/**
 * The part of a manifest for one passive-liveness model, which becomes the default; networks of others are dropped.
 * @param name null for no passive model
 * @throws ModelError `model-missing` if the bundle lacks one of its networks
 */
export function manifestOfPassiveModel(manifest: ModelManifest, name: PassiveModelName | null): ModelManifest {
  if (name !== null && !passiveModelsIn(manifest).includes(name)) {
    throw new ModelError('model-missing', `the bundle lacks networks of ${name}`);
  }
  const used = name === null ? [] : passiveNetworks[name];
  const unused = Object.values(passiveNetworks)
    .flat()
    .filter((network) => !used.includes(network));
  const models = Object.fromEntries(
    Object.entries(manifest.models).filter(([network]) => !unused.some((other) => other === network)),
  );
  const passiveLiveness = (manifest.passiveLiveness ?? []).filter(({ model }) => model === name);
  return { ...manifest, models, passiveLiveness, passiveDefaults: name === null ? [] : [name] };
}
