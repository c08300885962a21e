/** Called in the peer's page by the benchmark. */
import type { HumanFace } from '../peers/human-config.ts';

interface Tensor {
  dispose(): void;
}

interface HumanInstance {
  readonly tf: { tensor3d(values: Uint8Array, shape: readonly number[], type: 'int32'): Tensor };
  load(): Promise<void>;
  detect(input: Tensor): Promise<{ readonly face: readonly HumanFace[] }>;
}

let human: HumanInstance | null = null;
let rgb = new Uint8Array();
let shape: readonly number[] = [];

const page = {
  /** @param address of Human's build for browsers. @param frame address of raw RGB */
  async load(address: string, config: object, frame: string, width: number, height: number): Promise<void> {
    const { Human }: { readonly Human: new (config: object) => HumanInstance } = await import(address);
    human = new Human(config);
    await human.load();
    rgb = new Uint8Array(await (await fetch(frame)).arrayBuffer());
    shape = [height, width, 3];
  },

  /** Includes the copy into a tensor. */
  async detect() {
    if (human === null) throw new Error('not loaded');
    const startedAtMs = performance.now();
    const input = human.tf.tensor3d(rgb, shape, 'int32');
    const { face } = await human.detect(input);
    input.dispose();
    const wallMs = performance.now() - startedAtMs;
    const faces = face.map(({ box, mesh, embedding, real, live }) => ({
      box,
      points: mesh.length,
      dimension: embedding?.length ?? 0,
      isScored: typeof real === 'number' && typeof live === 'number',
    }));
    return { wallMs, faces };
  },
};

declare global {
  // Globals can only be declared with `var`.
  var humanPage: typeof page;
}

globalThis.humanPage = page;
