import { FaceError } from '@svc/core';

/** A `runtime-failed` error; an error that already is a {@link FaceError} passes unchanged. */
export function runtimeFailed(message: string, cause?: unknown): FaceError {
  return FaceError.is(cause) ? cause : new FaceError('runtime-failed', message, { cause });
}

/** Shape of one tensor of a loaded model. */
export interface TensorInfo {
  readonly shape: readonly number[];
}

/**
 * One loaded `.tflite` model. Inputs and outputs are 32-bit floats and are read and written in the runtime's own
 * memory: no tensor object lies between.
 *
 * Not re-entrant: fill the inputs, `await run()`, read the outputs, then start again. {@link ModelSession} serialises
 * callers.
 */
export interface TfliteModel {
  readonly inputs: readonly TensorInfo[];
  readonly outputs: readonly TensorInfo[];
  /**
   * View on input `i` in the runtime's memory. Fetch it again after `run()` or `load()`: growth of the memory detaches
   * it.
   */
  input(i: number): Float32Array;
  /** Runs the model once on the inputs' present content. @throws FaceError `runtime-failed` */
  run(): Promise<void>;
  /** View on output `i`, valid until the next `run()` or `load()`. The caller copies what it keeps. */
  output(i: number): Float32Array;
  /** Frees the model. Idempotent. */
  dispose(): void;
}

/**
 * A TFLite runtime: one WebAssembly instance that holds any number of models. Port; adapters: tfjs-tflite, LiteRT.js,
 * and the core's own kernels combined with one of them.
 */
export interface TfliteRuntime {
  readonly name: string;
  /**
   * Loads a model from its bytes, which are copied.
   *
   * @throws FaceError `runtime-failed` when the runtime refuses the model
   */
  load(model: Uint8Array): Promise<TfliteModel>;
  /**
   * Disposes every model and overwrites with zeros whatever the instance's memory held for them, intermediate tensors
   * included. Idempotent.
   */
  dispose(): void;
}

/** The part of an emscripten module that both runtimes share. */
export interface EmscriptenHeap {
  readonly HEAPU8: Uint8Array;
  _malloc(bytes: number): number;
  _free(pointer: number): void;
}

/** An emscripten module factory (`MODULARIZE`), as both npm packages ship it. */
export type EmscriptenFactory = (options: Record<string, unknown>) => Promise<unknown>;

/** What an adapter needs to start: the glue code's factory and the WebAssembly binary that belongs to it. */
export interface RuntimeAssets {
  readonly factory: EmscriptenFactory;
  readonly wasmBinary: Uint8Array;
}
