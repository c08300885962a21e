import { createNodeFaceEngine, type NodeFaceEngine, type NodeFaceEngineOptions } from '@svc/face-engine/node';
import { addOnNames } from '@svc/face-models/node';
import { temporaryAddOn } from '../../inputs/engine.ts';

export const withoutAddOn =
  'passive liveness: its add-on is not installed, and its weights are not beside the repository';

/** Add-ons in a folder, and a function that removes it. */
export interface InstalledAddOns {
  /** Null if the published files are not beside the repository: the installed add-ons are used then. */
  readonly addOnDirectory: string | null;
  remove(): Promise<void>;
}

/** Compiles the add-ons of the published files beside the repository into a temporary folder. */
export async function installAddOns(): Promise<InstalledAddOns> {
  const addOn = await temporaryAddOn(addOnNames);
  return { addOnDirectory: addOn?.directory ?? null, remove: async () => addOn?.remove() };
}

/** Calls `use` with the add-ons' temporary folder, or with nothing to use the installed ones. */
export async function withAddOns<T>(use: (place: { readonly addOnDirectory?: string }) => Promise<T>): Promise<T> {
  const { addOnDirectory, remove } = await installAddOns();
  try {
    return await use(addOnDirectory === null ? {} : { addOnDirectory });
  } finally {
    await remove();
  }
}

/**
 * The preferred engine, with its passive check if that add-on is available; every engine's network is loaded.
 */
export function benchEngine(runtime: NonNullable<NodeFaceEngineOptions['runtime']>): Promise<NodeFaceEngine> {
  return withAddOns(async (place) => {
    const loaded = await createNodeFaceEngine({ runtime, ...place });
    // Before the folder is removed.
    await loaded.engine.prepare(loaded.engine.recipes.map(({ engineId }) => engineId));
    return loaded;
  });
}
