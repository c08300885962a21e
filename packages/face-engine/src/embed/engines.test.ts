import { engineOf, type ModelName } from '@svc/face-models';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFaceEngine } from '../engine.ts';
import { createNodeFaceEngine, type NodeFaceEngine } from '../node.ts';
import { oneHead } from '../testing/drawn-head.ts';

const fusedId = 'dlib-faceres-1152/2';

describe('an engine of two networks', () => {
  let alone: NodeFaceEngine;
  let fused: NodeFaceEngine;

  beforeAll(async () => {
    alone = await createNodeFaceEngine({ addOnDirectory: null });
    fused = await createNodeFaceEngine({ addOnDirectory: null, engineId: fusedId });
  });
  afterAll(() => {
    for (const { engine, runtime } of [alone, fused]) {
      engine.dispose();
      runtime.dispose();
    }
  });

  async function templatesOf({ engine }: NodeFaceEngine) {
    const image = engine.open(oneHead());
    const [detection] = await engine.detect(image);
    const face = detection && (await engine.analyse(image, detection));
    if (!face) throw new Error('the drawn head was not found');
    const reference = await engine.embed(image, face);
    const probe = await engine.embed(image, face, { mirror: false });
    image.dispose();
    return { reference, probe };
  }

  it('has id, dimension and threshold of its recipe, the other those of the default', () => {
    const recipe = engineOf(fused.bundle.manifest, fusedId);
    const { engineId, dimension, matchThreshold } = recipe;
    expect(fused.engine).toMatchObject({ engineId, dimension, matchThreshold });
    expect(alone.engine).toMatchObject(fused.bundle.manifest.engine);
    expect(alone.engine.engineId).not.toBe(fusedId);
  });

  it('makes one unit vector of both networks’ vectors, each as long as the root of its weight', async () => {
    const { reference, probe } = await templatesOf(fused);
    expect(reference).toHaveLength(1152);
    for (const template of [reference, probe]) {
      expect(Math.hypot(...template)).toBeCloseTo(1, 5);
      expect(Math.hypot(...template.subarray(0, 128)) ** 2).toBeCloseTo(0.85, 5);
      expect(Math.hypot(...template.subarray(128)) ** 2).toBeCloseTo(0.15, 5);
    }
    const { reference: first } = await templatesOf(alone);
    reference.subarray(0, 128).forEach((value, i) => {
      expect(value).toBeCloseTo(Math.sqrt(0.85) * (first[i] ?? Number.NaN), 6);
    });
    // Of the two networks the first alone looks at the mirror image.
    expect(probe.subarray(128)).toEqual(reference.subarray(128));
    expect(probe.subarray(0, 128)).not.toEqual(reference.subarray(0, 128));
  });

  it('compares by the weighted sum of the networks’ cosines', async () => {
    const { reference, probe } = await templatesOf(fused);
    const { core, matchThreshold } = fused.engine;
    const sum =
      0.85 * core.cosine(reference.slice(0, 128), probe.slice(0, 128)) +
      0.15 * core.cosine(reference.slice(128), probe.slice(128));
    expect(core.cosine(reference, probe)).toBeCloseTo(sum, 6);
    expect(sum).toBeGreaterThan(matchThreshold);
  });

  it('is never compared with another: vectors of other lengths have no cosine', async () => {
    const [a, b] = [(await templatesOf(alone)).reference, (await templatesOf(fused)).reference];
    expect(() => fused.engine.core.cosine(a, b)).toThrowError(expect.objectContaining({ code: 'invalid-argument' }));
  });

  it('reads the models of its own recipe alone', async () => {
    const read: ModelName[] = [];
    const { bundle, runtime } = alone;
    const watched = {
      ...bundle,
      read: (name: ModelName) => {
        read.push(name);
        return bundle.read(name);
      },
    };
    const engine = await createFaceEngine({ core: alone.engine.core, runtime, bundle: watched });
    engine.dispose();
    expect(read).toContain('face-embedding');
    expect(read).not.toContain('face-embedding-faceres');
  });

  it('answers model-missing for an engine that the bundle has not', async () => {
    const none = createNodeFaceEngine({ addOnDirectory: null, engineId: 'another/1' });
    await expect(none).rejects.toMatchObject({ name: 'FaceError', code: 'model-missing' });
  });
});
