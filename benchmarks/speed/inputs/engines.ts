import type { CoreKind } from '@svc/core';
import type { NodeFaceEngine } from '@svc/face-engine/node';
import { addOnNames, openModelBundle } from '@svc/face-models/node';
import { openEngineOf, temporaryAddOn } from '../../inputs/engine.ts';

export const withoutAddOn =
  'passive liveness: its add-on is not installed, and its weights are not beside the repository';

/** Of a suite, which closes it. */
export interface BenchEngine extends NodeFaceEngine {
  close(): Promise<void>;
}

/**
 * The preferred engine of all add-ons, installed for this run, or of those that the operator installed; every engine's
 * network is loaded.
 * @param kind the core's build; default: that of this machine
 */
export async function benchEngine(kind?: CoreKind): Promise<BenchEngine> {
  const addOn = await temporaryAddOn(addOnNames);
  const bundle = await openModelBundle(addOn === null ? {} : { addOnDirectory: addOn.directory });
  const opened = await openEngineOf(bundle, { kind });
  await opened.engine.prepare(opened.engine.recipes.map(({ engineId }) => engineId));
  return {
    ...opened,
    async close() {
      opened.close();
      await addOn?.remove();
    },
  };
}
