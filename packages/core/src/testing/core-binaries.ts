import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { KernelExports } from '../kernel.ts';
import type { CoreKind } from '../load-core.ts';

/** Files of the compiled core. */
export const CORE_FILES: Readonly<Record<CoreKind, string>> = { simd: 'core-simd.wasm', scalar: 'core-scalar.wasm' };

/** A file that `@svc/wasm` builds. */
export function wasmFile(file: string): Uint8Array {
  return new Uint8Array(readFileSync(createRequire(import.meta.url).resolve(`@svc/wasm/${file}`)));
}

// This package compiles without the DOM library, which declares it.
const { WebAssembly } = globalThis as unknown as {
  readonly WebAssembly: {
    validate(binary: Uint8Array): boolean;
    instantiate(binary: Uint8Array): Promise<{ readonly instance: { readonly exports: unknown } }>;
  };
};

/** Whether an engine would compile a module. */
export function validates(binary: Uint8Array): boolean {
  return WebAssembly.validate(binary);
}

/** The exports of a new instance. */
export async function instantiateKernel(binary: Uint8Array): Promise<KernelExports> {
  const { instance } = await WebAssembly.instantiate(binary);
  return instance.exports as KernelExports;
}
