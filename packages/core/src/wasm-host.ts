/**
 * The part of the WebAssembly JavaScript API that the core uses, declared because this package compiles without the DOM
 * library and also runs without WebAssembly.
 */
export interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

interface WasmHost {
  validate(bytes: Uint8Array): boolean;
  instantiate(bytes: Uint8Array): Promise<{ readonly instance: { readonly exports: unknown } }>;
}

/** The WebAssembly object; undefined if there is none. */
export function wasmHost(): WasmHost | undefined {
  return (globalThis as { WebAssembly?: WasmHost }).WebAssembly;
}
