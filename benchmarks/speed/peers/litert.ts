import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { packageFolder } from '../environment.ts';
import type { PeerNetwork } from './networks.ts';

interface TensorBuffer {
  lock(mode: unknown): number;
  unlock(): void;
  packedSize(): number;
  delete(): void;
}
type TensorType = { bytes(): number };
type Compiled = { run(signature: number, inputs: readonly TensorBuffer[]): Promise<TensorBuffer[]> };

/** What is used of the module; the interface belongs to the pinned version. */
interface LiteRt {
  readonly HEAPU8: Uint8Array<ArrayBuffer>;
  _malloc(bytes: number): number;
  readonly LiteRtEnvironment: { create(device: null): object };
  readonly LiteRtTensorBuffer: {
    createManaged(from: object, kind: unknown, type: TensorType, bytes: number): TensorBuffer;
  };
  readonly LiteRtTensorBufferType: { readonly HOST_MEMORY: unknown };
  readonly LiteRtTensorBufferLockMode: { readonly WRITE: unknown };
  loadModel(from: object, at: number, bytes: number): { getInputTensorType(signature: number, i: number): TensorType };
  compileModel(from: object, model: object, options: object): Promise<Compiled>;
}

/** A `.tflite` network in LiteRT on one thread, by its module's factory: the package itself wants a script tag. */
export async function loadLiteRt(bytes: Uint8Array): Promise<PeerNetwork> {
  const path = join(packageFolder('@litertjs/core'), 'wasm', 'litert_wasm_compat_internal');
  const factory: (o: object) => Promise<LiteRt> = createRequire(import.meta.url)(`${path}.js`);
  const ignore = () => undefined;
  const module = await factory({ wasmBinary: await readFile(`${path}.wasm`), print: ignore, printErr: ignore });
  const environment = module.LiteRtEnvironment.create(null);
  const pointer = module._malloc(bytes.length);
  module.HEAPU8.set(bytes, pointer);
  const model = module.loadModel(environment, pointer, bytes.length);
  const compiled = await module.compileModel(environment, model, {
    environment: { liteRtEnvironment: environment, webGpuDevice: null, options: {} },
    accelerator: 'wasm',
    cpuOptions: { numThreads: 1 },
    gpuOptions: {},
    webNNOptions: {},
  });
  const type = model.getInputTensorType(0, 0);
  const kind = module.LiteRtTensorBufferType.HOST_MEMORY;
  const input = module.LiteRtTensorBuffer.createManaged(environment, kind, type, type.bytes());
  let results: TensorBuffer[] = [];
  const view = (buffer?: TensorBuffer) => {
    const address = buffer?.lock(module.LiteRtTensorBufferLockMode.WRITE) ?? 0;
    buffer?.unlock();
    return new Float32Array(module.HEAPU8.buffer, address, (buffer?.packedSize() ?? 0) / 4);
  };
  return {
    input: () => view(input),
    output: (i) => view(results[i]),
    async run() {
      for (const result of results) result.delete();
      results = await compiled.run(0, [input]);
    },
  };
}
