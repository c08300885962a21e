import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { PixelImage } from '@svc/core';
import type { FaceEngine, NetworkModel, NetworkRuntime } from '@svc/face-engine';
import { readPhoto } from '../../inputs/read-photo.ts';
import { withFace } from '../first-face.ts';

/** Maximum deviation from the original over all results added. */
export class Deviation {
  comparisons = 0;
  absolute = 0;
  cosine = 1;

  add(actual: ArrayLike<number>, expected: ArrayLike<number>): void {
    if (actual.length !== expected.length) throw new RangeError('results of unequal length');
    let [dot, left, right] = [0, 0, 0];
    for (let i = 0; i < actual.length; i++) {
      const [a = Number.NaN, b = Number.NaN] = [actual[i], expected[i]];
      dot += a * b;
      left += a * a;
      right += b * b;
      // Negated, so that a NaN counts as the worst.
      if (!(Math.abs(a - b) <= this.absolute)) this.absolute = Math.abs(a - b);
    }
    const cosine = dot / Math.sqrt(left * right);
    if (!(cosine >= this.cosine)) this.cosine = cosine;
    this.comparisons++;
  }

  report(what: string): void {
    console.log(
      `parity: ${what}: ${this.comparisons} comparisons, worst ${this.absolute.toExponential(1)}, cosine ≥ ${this.cosine.toFixed(9)}`,
    );
  }
}

/** `count` of the public portraits below the data's `faces` folder, evenly spread over the set. */
export async function* portraits(faces: string, count: number): AsyncGenerator<PixelImage> {
  const folder = join(faces, 'congress-portraits', 'images');
  const names = readdirSync(folder).sort();
  for (let i = 0; i < count; i++) {
    const name = names[Math.floor((i * names.length) / count)] ?? '';
    yield await readPhoto(join(folder, name));
  }
}

/** What one run of a model read and wrote. */
export interface RecordedRun {
  readonly input: Float32Array;
  readonly output: Float32Array;
}

/** A runtime that records the inputs and outputs of every model with this input shape. For tests only. */
export function recordRuns(
  inner: NetworkRuntime,
  shape: readonly number[],
): { runtime: NetworkRuntime; runs: RecordedRun[] } {
  const runs: RecordedRun[] = [];
  const watch = (model: NetworkModel): NetworkModel => ({
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
  const runtime: NetworkRuntime = {
    name: inner.name,
    dispose: () => inner.dispose(),
    async load(bytes) {
      const model = await inner.load(bytes);
      return model.inputs[0]?.shape.join() === shape.join() ? watch(model) : model;
    },
  };
  return { runtime, runs };
}

/** Every chip that `runs` records while the engine embeds the face in each picture. */
export async function chipsOf(
  engine: FaceEngine,
  runs: RecordedRun[],
  pictures: Iterable<PixelImage> | AsyncIterable<PixelImage>,
): Promise<RecordedRun[]> {
  const chips: RecordedRun[] = [];
  for await (const picture of pictures) {
    await withFace(engine, picture, async (face, image) => {
      // The detector's input may have the same shape.
      runs.length = 0;
      await engine.embed(image, face);
      chips.push(...runs);
    });
  }
  return chips;
}

/**
 * Compares the engine's results for chips, and those of the same network on other runtimes, with the original.
 *
 * @param recorded the runtime that the engine ran on
 * @returns a deviation per runtime, each reported
 */
export async function deviationsOf(
  what: string,
  chips: readonly RecordedRun[],
  { original, recorded, models, normalise = (values) => values }: Comparison,
): Promise<readonly Deviation[]> {
  const deviations = new Map([recorded, ...models.keys()].map((name) => [name, new Deviation()]));
  for (const { input, output } of chips) {
    const expected = normalise(await original(input));
    deviations.get(recorded)?.add(normalise(output), expected);
    for (const [name, model] of models) {
      model.input(0).set(input);
      await model.run();
      deviations.get(name)?.add(normalise(model.output(0)), expected);
    }
  }
  for (const [name, deviation] of deviations) deviation.report(`${what}, ${name}`);
  return [...deviations.values()];
}

interface Comparison {
  original(input: Float32Array): ArrayLike<number> | Promise<ArrayLike<number>>;
  readonly recorded: string;
  readonly models: ReadonlyMap<string, NetworkModel>;
  normalise?(values: ArrayLike<number>): ArrayLike<number>;
}
