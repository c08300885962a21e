import type { FaceEngine } from '@svc/face-engine';
import { createNodeFaceEngine } from '@svc/face-engine/node';
import { temporaryAddOn } from '../../inputs/temporary-add-on.ts';
import { openUngatedModels, type UngatedModel } from './ungated-models.ts';

/** Something done with an engine and every passive model, MiniFASNet's where it is at hand. All are gone after it, however it ends. */
export async function withUngatedModels<T>(
  use: (engine: FaceEngine, models: readonly UngatedModel[]) => Promise<T>,
): Promise<T> {
  const addOn = await temporaryAddOn();
  try {
    const node = await createNodeFaceEngine({ addOnDirectory: addOn?.directory ?? null, passiveModel: null });
    try {
      const models = await openUngatedModels(node);
      const used = await use(node.engine, models);
      for (const model of models) model.dispose();
      return used;
    } finally {
      node.engine.dispose();
      node.runtime.dispose();
    }
  } finally {
    await addOn?.remove();
  }
}
