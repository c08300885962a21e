import type { NetworkModel, NetworkRuntime } from '../runtime/port.ts';

export interface FakeModelOptions {
  readonly inputLength: number;
  /** Outputs for an input, called at each run. */
  readonly run: (input: Float32Array) => readonly Float32Array[];
}

/** A model whose outputs a function gives; counts calls, and throws if used after disposal. */
export class FakeModel implements NetworkModel {
  readonly inputs = [{ shape: [1] }];
  readonly outputs: { shape: number[] }[];
  runs = 0;
  /** A copy of the last run's input, since the caller wipes the input. */
  lastInput = new Float32Array(0);
  disposed = false;
  readonly #input: Float32Array;
  readonly #run: FakeModelOptions['run'];
  #outputs: readonly Float32Array[];

  constructor({ inputLength, run }: FakeModelOptions) {
    this.#input = new Float32Array(inputLength);
    this.#run = run;
    this.#outputs = run(this.#input);
    this.outputs = this.#outputs.map((output) => ({ shape: [output.length] }));
  }

  input(): Float32Array {
    if (this.disposed) throw new Error('the fake was disposed');
    return this.#input;
  }

  async run(): Promise<void> {
    // Asynchronous, so that callers that do not queue fail.
    await new Promise((resolve) => setImmediate(resolve));
    this.runs++;
    this.lastInput = this.#input.slice();
    this.#outputs = this.#run(this.#input);
  }

  output(i: number): Float32Array {
    const output = this.#outputs[i];
    if (output === undefined) throw new Error('no such output');
    return output;
  }

  dispose(): void {
    this.disposed = true;
  }
}

/** A runtime that returns the given models in turn. */
export class FakeRuntime implements NetworkRuntime {
  readonly name = 'fake';
  readonly #models: FakeModel[];

  constructor(models: readonly FakeModel[]) {
    this.#models = [...models];
  }

  async load(): Promise<NetworkModel> {
    const model = this.#models.shift();
    if (model === undefined) throw new Error('no fake model left');
    return model;
  }

  dispose(): void {}
}
