import type { TfliteModel, TfliteRuntime } from '@svc/face-engine';

/** What one run of a model read and wrote. */
export interface RecordedRun {
  readonly input: Float32Array;
  readonly output: Float32Array;
}

/** A runtime that keeps copies of what every model with this input shape computes. The copies are for tests only. */
export function recordRuns(
  inner: TfliteRuntime,
  shape: readonly number[],
): { runtime: TfliteRuntime; runs: RecordedRun[] } {
  const runs: RecordedRun[] = [];
  const watch = (model: TfliteModel): TfliteModel => ({
    inputs: model.inputs,
    outputs: model.outputs,
    input: (i) => model.input(i),
    output: (i) => model.output(i),
    dispose: () => model.dispose(),
    async run() {
      const input = model.input(0).slice();
      await model.run();
      runs.push({ input, output: model.output(0).slice() });
    },
  });
  const runtime: TfliteRuntime = {
    name: inner.name,
    dispose: () => inner.dispose(),
    async load(bytes) {
      const model = await inner.load(bytes);
      return model.inputs[0]?.shape.join() === shape.join() ? watch(model) : model;
    },
  };
  return { runtime, runs };
}
