import { FaceError } from '@svc/core';

/** Wraps an error as `runtime-failed`; a {@link FaceError} is returned unchanged. */
export function runtimeFailed(message: string, cause?: unknown): FaceError {
  return FaceError.is(cause) ? cause : new FaceError('runtime-failed', message, { cause });
}

/** Shape of one tensor of a loaded model. */
export interface TensorInfo {
  readonly shape: readonly number[];
}

/**
 * One loaded network. Inputs and outputs are 32-bit floats in the runtime's own memory.
 *
 * Not re-entrant: fill the inputs, `await run()`, read the outputs, then start again. {@link ModelSession} serialises
 * callers.
 */
export interface NetworkModel {
  readonly inputs: readonly TensorInfo[];
  readonly outputs: readonly TensorInfo[];
  /** View of input `i` in the runtime's memory. Fetch it again after `run()` or `load()`: memory growth detaches it. */
  input(i: number): Float32Array;
  /** Runs the model once. @throws FaceError `runtime-failed` */
  run(): Promise<void>;
  /** View of output `i`, valid until the next `run()` or `load()`; copy what you keep. */
  output(i: number): Float32Array;
  /** Frees the model. Idempotent. */
  dispose(): void;
}

/** Port to what runs networks: the core's kernels, and tfjs-tflite for networks that they do not support. */
export interface NetworkRuntime {
  readonly name: string;
  /**
   * Loads a model from a copy of its bytes.
   * @throws FaceError `runtime-failed` if the runtime rejects the model
   */
  load(model: Uint8Array): Promise<NetworkModel>;
  /** Disposes every model and zeroes the instance's memory of it, intermediate tensors included. Idempotent. */
  dispose(): void;
}
