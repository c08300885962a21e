import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Tensor3D, tensor3d } from '@tensorflow/tfjs-core';
import { packageFolder } from '../environment.ts';
import { startTfjs, wasmFolder } from './tfjs.ts';

/** What of a face the bench looks at. */
export interface HumanFace {
  /** x, y, width, height in pixels. */
  readonly box: readonly [number, number, number, number];
  readonly mesh: readonly unknown[];
  readonly embedding?: readonly number[];
  readonly real?: number;
  readonly live?: number;
}

interface HumanInstance {
  load(): Promise<void>;
  detect(input: Tensor3D): Promise<{ readonly face: readonly HumanFace[] }>;
}

type HumanModule = { readonly Human: new (config: unknown) => HumanInstance };

export type HumanStage = 'mesh' | 'description' | 'antispoof' | 'liveness';

export interface HumanPeer {
  /** Runs the detector and the stages over 640×480 RGB bytes, the copy into a tensor included. */
  detect(rgb: Uint8Array): Promise<readonly HumanFace[]>;
}

/**
 * `@vladmandic/human` with its own defaults, but only what faces need.
 * @param stages what runs beside the detector
 * @param everyFrame false lets it reuse results between frames as it does by default
 */
export async function createHuman(
  stages: readonly HumanStage[],
  everyFrame: boolean,
  frame: { width: number; height: number },
): Promise<HumanPeer> {
  await startTfjs();
  const folder = packageFolder('@vladmandic/human');
  // Its exports name only the builds for browsers and for the native addon.
  const { Human }: HumanModule = createRequire(import.meta.url)(join(folder, 'dist', 'human.node-wasm.js'));
  const off = { enabled: false };
  const stage = (name: HumanStage) => ({ enabled: stages.includes(name) });
  const human = new Human({
    backend: 'wasm',
    wasmPath: wasmFolder,
    modelBasePath: pathToFileURL(join(folder, 'models', '/')).href,
    async: false,
    debug: false,
    ...(everyFrame ? { cacheSensitivity: 0 } : {}),
    filter: off,
    gesture: off,
    body: off,
    hand: off,
    object: off,
    segmentation: off,
    face: {
      enabled: true,
      mesh: stage('mesh'),
      description: stage('description'),
      antispoof: stage('antispoof'),
      liveness: stage('liveness'),
      iris: off,
      emotion: off,
      attention: off,
    },
  });
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
