import { engineRecipes } from '@svc/face-models';
import { createEngines, type Engines } from '../inference/engines.ts';

const [preferred, base] = engineRecipes;

/** The engine that every deployment has, and the one of an add-on. */
export const testModels = { base, addOn: preferred } as const;

/** Engines of a node as the fake inference can stand for them, whatever is installed on this machine. */
export const testEngines = (o: { readonly standard?: 'base' | 'addOn'; readonly hasAddOn?: boolean } = {}): Engines =>
  createEngines({
    known: engineRecipes,
    installed: (o.hasAddOn ?? true) ? engineRecipes.map(({ engineId }) => engineId) : [base.engineId],
    standard: testModels[o.standard ?? 'base'],
  });
