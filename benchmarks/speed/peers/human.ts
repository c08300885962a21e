import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Tensor3D, tensor3d } from '@tensorflow/tfjs-core';
import { packageFolder } from '../environment.ts';
import { type HumanFace, type HumanStage, humanConfig } from './human-config.ts';
import { startTfjs, wasmFolder } from './tfjs.ts';

interface HumanInstance {
  load(): Promise<void>;
  detect(input: Tensor3D): Promise<{ readonly face: readonly HumanFace[] }>;
}

type HumanModule = { readonly Human: new (config: unknown) => HumanInstance };

export interface HumanPeer {
  /** Runs the detector and the stages on 640×480 RGB bytes, including the copy into a tensor. */
  detect(rgb: Uint8Array): Promise<readonly HumanFace[]>;
}

/** `@vladmandic/human` in this process; see {@link humanConfig}. */
export async function createHuman(
  stages: readonly HumanStage[],
  everyFrame: boolean,
  frame: { width: number; height: number },
): Promise<HumanPeer> {
  await startTfjs();
  const folder = packageFolder('@vladmandic/human');
  // Its exports have only the builds for browsers and for the native addon.
  const { Human }: HumanModule = createRequire(import.meta.url)(join(folder, 'dist', 'human.node-wasm.js'));
  const modelBasePath = pathToFileURL(join(folder, 'models', '/')).href;
  const human = new Human(humanConfig(stages, everyFrame, { wasmPath: wasmFolder, modelBasePath }));
  await human.load();
  return {
    async detect(rgb) {
      const input = tensor3d(rgb, [frame.height, frame.width, 3], 'int32');
      const { face } = await human.detect(input);
      input.dispose();
      return face;
    },
  };
}
