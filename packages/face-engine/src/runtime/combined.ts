import type { FaceCore } from '@svc/core';
import { loadCoreNetwork } from './core-network.ts';
import { runtimeFailed } from './failure.ts';
import type { TfliteModel, TfliteRuntime } from './port.ts';

export interface CombinedRuntimeOptions {
  readonly core: FaceCore;
  /** For models that the core's kernels do not compute; disposed with the combined runtime. */
  readonly fallback: TfliteRuntime;
}

/**
 * The core's own kernels for models that they compute whole, another runtime for all others. Its name is `core+` that of the other.
 */
export function createCombinedRuntime({ core, fallback }: CombinedRuntimeOptions): TfliteRuntime {
  const models = new Set<TfliteModel>();
  let disposed = false;
  return {
    name: `core+${fallback.name}`,
    async load(bytes) {
      if (disposed) throw runtimeFailed('the runtime was disposed');
      const model = loadCoreNetwork(core, bytes, () => model !== null && models.delete(model));
      if (model === null) return fallback.load(bytes);
      models.add(model);
      return model;
    },
    dispose() {
      disposed = true;
      for (const model of models) model.dispose();
      fallback.dispose();
    },
  };
}
