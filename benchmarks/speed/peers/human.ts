import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Tensor3D, tensor3d } from '@tensorflow/tfjs-core';
import { packageFolder } from '../environment.ts';
import { startTfjs, wasmFolder } from './tfjs.ts';

/** The part of a face that the benchmark reads. */
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

type HumanModule = { readonly Human: new (config: object) => HumanInstance };

export interface HumanPeer {
  /** Runs on RGB bytes, including the copy into a tensor. */
  detect(rgb: Uint8Array): Promise<readonly HumanFace[]>;
}

const [on, off] = [{ enabled: true }, { enabled: false }];

/**
 * `@vladmandic/human` in this process with its defaults, on WebAssembly, limited to the stages that a verification
 * needs: detector, mesh, description, antispoof and liveness.
 * @param o.everyFrame false lets it reuse results between frames, as by default
 */
export async function createHuman(o: {
  readonly width: number;
  readonly height: number;
  readonly everyFrame: boolean;
}): Promise<HumanPeer> {
  await startTfjs();
  const folder = packageFolder('@vladmandic/human');
  // Its exports have only the builds for browsers and for the native addon.
  const { Human }: HumanModule = createRequire(import.meta.url)(join(folder, 'dist', 'human.node-wasm.js'));
  const human = new Human({
    backend: 'wasm',
    wasmPath: wasmFolder,
    modelBasePath: pathToFileURL(join(folder, 'models', '/')).href,
    async: false,
    debug: false,
    ...(o.everyFrame ? { cacheSensitivity: 0 } : {}),
    ...{ filter: off, gesture: off, body: off, hand: off, object: off, segmentation: off },
    face: {
      ...{ enabled: true, mesh: on, description: on, antispoof: on, liveness: on },
      ...{ iris: off, emotion: off, attention: off },
    },
  });
  await human.load();
  return {
    async detect(rgb) {
      const input = tensor3d(rgb, [o.height, o.width, 3], 'int32');
      const { face } = await human.detect(input);
      input.dispose();
      return face;
    },
  };
}
