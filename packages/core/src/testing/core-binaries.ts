import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { KernelExports } from '../kernel.ts';
import type { CoreKind } from '../load-core.ts';

// This package compiles without the DOM library, which declares it.
const { WebAssembly } = globalThis as unknown as {
  readonly WebAssembly: {
    instantiate(binary: Uint8Array, imports: object): Promise<{ readonly instance: { readonly exports: unknown } }>;
  };
};

/** A new instance of a build of the core. @param trace takes what the instrumented build tells, which may be slow */
export async function instantiateKernel(
  kind: CoreKind,
  trace?: (place: number, value: number) => number,
): Promise<KernelExports> {
  const file = `@svc/wasm/core-${kind}${trace === undefined ? '' : '.traced'}.wasm`;
  const binary = readFileSync(createRequire(import.meta.url).resolve(file));
  const { instance } = await WebAssembly.instantiate(binary, { env: { trace } });
  return instance.exports as KernelExports;
}
