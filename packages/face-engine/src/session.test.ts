import type { ModelBundle, ModelEntry } from '@svc/face-models';
import { describe, expect, it } from 'vitest';
import { ModelSession, openSession } from './session.ts';
import { FakeModel, FakeRuntime } from './testing/fake-runtime.ts';

const entry: ModelEntry = {
  name: 'face-mesh',
  file: 'mesh.tflite',
  sha256: '',
  bytes: 1,
  inputs: [{ name: 'input', shape: [1, 4, 4, 3], type: 'float32', range: [0, 1] }],
  outputs: [{ name: 'output', shape: [1, 2], type: 'float32' }],
  licence: 'Apache-2.0',
  origin: 'test',
  golden: {
    inputSeed: 1,
    faceHeight: 0.5,
    tolerance: 0.01,
    outputs: [{ index: 0, length: 2, positions: [0, 1], values: [0.5, 0.25] }],
  },
};

function bundleWith(
  read: () => Promise<Uint8Array>,
  models: ModelBundle['manifest']['models'] = { 'face-mesh': entry },
): ModelBundle {
  return {
    manifest: { format: 1, models },
    has: (name) => name in models,
    read,
  };
}

const bundle = bundleWith(async () => Uint8Array.of(1));
const modelGiving = (...values: number[]) => new FakeModel({ inputLength: 48, run: () => [Float32Array.from(values)] });

describe('openSession', () => {
  it('serves a model that gives its golden outputs within the tolerance', async () => {
    const model = modelGiving(0.505, 0.245);
    const session = await openSession(new FakeRuntime([model]), bundle, 'face-mesh');
    expect(model.input().every((value) => value === 0)).toBe(true);
    expect(
      await session.infer(
        () => {},
        (m) => m.output(0)[0],
      ),
    ).toBeCloseTo(0.505);
    expect(model.disposed).toBe(false);
  });

  it.each([
    ['a value beyond the tolerance', [0.52, 0.25]],
    ['a value that is not a number', [Number.NaN, 0.25]],
    ['an output of another length', [0.5]],
  ])('refuses %s with golden-mismatch and frees the model', async (_, values) => {
    const model = modelGiving(...values);
    await expect(openSession(new FakeRuntime([model]), bundle, 'face-mesh')).rejects.toMatchObject({
      code: 'golden-mismatch',
    });
    expect(model.disposed).toBe(true);
  });

  it('refuses a model with another input', async () => {
    const model = new FakeModel({ inputLength: 12, run: () => [Float32Array.of(0.5, 0.25)] });
    const opening = openSession(new FakeRuntime([model]), bundle, 'face-mesh');
    await expect(opening).rejects.toMatchObject({ code: 'golden-mismatch' });
  });

  it.each(['model-missing', 'model-mismatch'] as const)('passes on the bundle’s %s', async (code) => {
    const broken = bundleWith(() => Promise.reject(Object.assign(new Error('bundle'), { code })));
    await expect(openSession(new FakeRuntime([]), broken, 'face-mesh')).rejects.toMatchObject({ code });
  });

  it('answers model-missing for a model that the manifest does not name', async () => {
    const empty = bundleWith(async () => Uint8Array.of(1), {});
    await expect(openSession(new FakeRuntime([]), empty, 'face-mesh')).rejects.toMatchObject({ code: 'model-missing' });
  });
});

describe('ModelSession', () => {
  const echo = () => new FakeModel({ inputLength: 1, run: (input) => [input.slice()] });

  it('keeps callers apart that come at the same time', async () => {
    const session = new ModelSession(echo());
    const results = await Promise.all(
      [3, 1, 4, 1, 5].map((value) =>
        session.infer(
          (input) => input.fill(value),
          (model) => model.output(0)[0],
        ),
      ),
    );
    expect(results).toEqual([3, 1, 4, 1, 5]);
  });

  it.each(['read', 'failed'] as const)('leaves neither input nor output behind once a run was %s', async (end) => {
    const model = echo();
    const given = new ModelSession(model).infer(
      (input) => input.fill(7),
      (read) => {
        expect(Array.from(read.output(0))).toEqual([7]);
        if (end === 'failed') throw new Error('read');
        return read.output(0)[0];
      },
    );
    if (end === 'failed') await expect(given).rejects.toThrow('read');
    else expect(await given).toBe(7);
    expect([...model.input(), ...model.output(0)]).toEqual([0, 0]);
  });

  it('serves the next caller after one that failed', async () => {
    const session = new ModelSession(echo());
    const failing = session.infer(
      () => {
        throw new Error('fill');
      },
      () => 0,
    );
    const next = session.infer(
      (input) => input.fill(2),
      (model) => model.output(0)[0],
    );
    await expect(failing).rejects.toThrow('fill');
    expect(await next).toBe(2);
  });
});
