import { engineRecipes } from '@svc/face-models';
import { composeAdmin } from '../compose/admin.ts';
import type { ApiParts } from '../compose/parts.ts';
import type { ApiConfig } from '../config/config.ts';
import { createEngines, type Engines } from '../inference/engines.ts';

const [preferred, base] = engineRecipes;

/** The engine that every deployment has, and the one of an add-on. */
export const testModels = { base, addOn: preferred } as const;

/** Engines of a node as the fake inference can stand for them, whatever is installed on this machine. */
export const testEngines = (
  o: { readonly standard?: 'base' | 'addOn'; readonly hasAddOn?: boolean; readonly checksPhotos?: boolean } = {},
): Engines =>
  createEngines({
    known: engineRecipes,
    installed: (o.hasAddOn ?? true) ? engineRecipes.map(({ engineId }) => engineId) : [base.engineId],
    standard: testModels[o.standard ?? 'base'],
    checksPhotos: o.checksPhotos ?? true,
  });

/** Does what the job of that name does. @returns how many epochs were given up */
export async function dropEmptyEpochs(config: ApiConfig, parts: Pick<ApiParts, 'clock'> = {}): Promise<number> {
  const services = await composeAdmin(config, { ...parts, engines: testEngines() });
  try {
    return await services.epochs.dropEmpty();
  } finally {
    await services.close();
  }
}
