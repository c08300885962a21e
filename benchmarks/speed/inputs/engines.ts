import { createNodeFaceEngine, type NodeFaceEngine } from '@svc/face-engine/node';
import { addOnNames } from '@svc/face-models/node';
import { temporaryAddOn } from '../../inputs/engine.ts';

export const withoutAddOn =
  'passive liveness: its add-on is not installed, and its weights are not beside the repository';

/** Calls `use` with the folder of all add-ons, compiled for this run, or with nothing to use the installed ones. */
export async function withAddOns<T>(use: (place: { readonly addOnDirectory?: string }) => Promise<T>): Promise<T> {
  const addOn = await temporaryAddOn(addOnNames);
  try {
    return await use(addOn === null ? {} : { addOnDirectory: addOn.directory });
  } finally {
    await addOn?.remove();
  }
}

/**
 * The preferred engine, with its passive check if that add-on is available; every engine's network is loaded.
 */
export function benchEngine(): Promise<NodeFaceEngine> {
  return withAddOns(async (place) => {
    const loaded = await createNodeFaceEngine(place);
    // Before the folder is removed.
    await loaded.engine.prepare(loaded.engine.recipes.map(({ engineId }) => engineId));
    return loaded;
  });
}
