import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EngineRecipe, engineRecipes, type ModelName } from '@svc/face-models';
import { installAddOn } from '@svc/face-models/node';
import { sharedData } from '@svc/face-models/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { oneHead } from '../drawn-head.ts';
import { createFaceEngine } from '../engine.ts';
import { createNodeFaceEngine, type NodeFaceEngine } from '../node.ts';
import type { FaceEngine } from '../types.ts';

const published = sharedData('models');
/** Engines that can be installed here. */
const installable: readonly EngineRecipe[] = engineRecipes.filter(
  ({ model }) => model === 'face-embedding' || sharedData('models', model) !== null,
);
if (published === null) process.stdout.write('skipped: no ../shared (engines beside each other)\n');
const [retail, dlib] = engineRecipes;
const missing = expect.objectContaining({ name: 'FaceError', code: 'model-missing' });

async function templatesOf(engine: FaceEngine, engineId?: string) {
  const choice = engineId === undefined ? {} : { engineId };
  const image = engine.open(oneHead());
  try {
    const [detection] = await engine.detect(image);
    const face = detection && (await engine.analyse(image, detection));
    if (!face) throw new Error('the drawn head was not found');
    return {
      reference: await engine.embed(image, face, choice),
      probe: await engine.embed(image, face, { ...choice, mirror: false }),
    };
  } finally {
    image.dispose();
  }
}

/** Names of the models that an engine reads during `action`. */
async function modelsRead({ bundle, runtime, engine }: NodeFaceEngine, action: (engine: FaceEngine) => Promise<void>) {
  const read: ModelName[] = [];
  const watched = {
    ...bundle,
    read: (name: ModelName) => {
      read.push(name);
      return bundle.read(name);
    },
  };
  const other = await createFaceEngine({ core: engine.core, runtime, bundle: watched });
  await action(other);
  other.dispose();
  return read;
}

const alone = await createNodeFaceEngine({ addOnDirectory: null });
afterAll(() => {
  alone.engine.dispose();
  alone.runtime.dispose();
});

describe('without add-ons', () => {
  it.each([
    ['the range of its input', { inputs: [{ name: 'input', shape: [1, 150, 150, 3], type: 'float32' as const }] }],
    [
      'as many outputs as the engine’s templates have numbers',
      { outputs: [{ name: 'output', shape: [1, 512], type: 'float32' as const }] },
    ],
  ])('takes no network whose manifest lacks %s', async (_what, change) => {
    const { bundle, runtime, engine } = alone;
    const entry = bundle.manifest.models['face-embedding'] ?? expect.unreachable();
    const models = { ...bundle.manifest.models, 'face-embedding': { ...entry, ...change } };
    const changed = { ...bundle, manifest: { ...bundle.manifest, models } };
    const making = createFaceEngine({ core: engine.core, runtime, bundle: changed });
    await expect(making).rejects.toMatchObject({ code: 'model-mismatch' });
  });

  it('has one engine, with the numbers of its recipe', () => {
    const { engineId, dimension, matchThreshold } = dlib;
    expect(alone.engine).toMatchObject({ engineId, dimension, matchThreshold });
    expect(alone.engine.recipes).toEqual([dlib]);
  });

  it('makes the same templates for a former version', async () => {
    expect(await templatesOf(alone.engine, dlib.former[0].engineId)).toEqual(await templatesOf(alone.engine));
  });

  it('answers model-missing for engines that are not there', async () => {
    for (const engineId of [retail.engineId, retail.former[0].engineId, 'another/1']) {
      await expect(createNodeFaceEngine({ addOnDirectory: null, engineId })).rejects.toEqual(missing);
      await expect(templatesOf(alone.engine, engineId)).rejects.toEqual(missing);
      await expect(alone.engine.enrol(oneHead(), { engineId })).rejects.toEqual(missing);
      await expect(alone.engine.prepare([engineId])).rejects.toEqual(missing);
    }
    expect((await templatesOf(alone.engine)).reference).toHaveLength(dlib.dimension);
  });
});

describe.skipIf(!installable.includes(retail))('engines beside each other', () => {
  let node: NodeFaceEngine;
  let addOnDirectory: string;
  beforeAll(async () => {
    addOnDirectory = await mkdtemp(join(tmpdir(), 'svc-engines-'));
    for (const { model } of installable) {
      if (model !== 'face-embedding') await installAddOn(model, { from: published ?? '', addOnDirectory });
    }
    node = await createNodeFaceEngine({ addOnDirectory });
  });
  afterAll(async () => {
    node?.engine.dispose();
    node?.runtime.dispose();
    await rm(addOnDirectory, { recursive: true, force: true });
  });

  it('prefers the add-on’s, and can make all', () => {
    expect(node.engine.engineId).toBe(retail.engineId);
    expect(node.engine.recipes).toEqual(installable);
  });

  it.each(installable)(
    '$engineId makes unit vectors of its length',
    async ({ engineId, dimension, matchThreshold, mirror }) => {
      const { reference, probe } = await templatesOf(node.engine, engineId);
      for (const template of [reference, probe]) {
        expect(template).toHaveLength(dimension);
        expect(Math.hypot(...template)).toBeCloseTo(1, 5);
      }
      (mirror ? expect(probe).not : expect(probe)).toEqual(reference);
      expect(node.engine.core.cosine(reference, probe)).toBeGreaterThan(matchThreshold);
      const enrolled = await node.engine.enrol(oneHead(), { engineId });
      expect(enrolled.ok && enrolled.reference.length).toBe(dimension);
    },
  );

  it('makes the same bits as an engine of its own', async () => {
    expect(await templatesOf(node.engine, dlib.engineId)).toEqual(await templatesOf(alone.engine));
  });

  it('reads the network of its own engine, and another’s at its first use, once', async () => {
    expect(await modelsRead(node, async () => undefined)).not.toContain(dlib.model);
    const read = await modelsRead(node, async (engine) => {
      await Promise.all([templatesOf(engine, dlib.engineId), templatesOf(engine, dlib.former[0].engineId)]);
      await engine.prepare([dlib.former[0].engineId]);
      await templatesOf(engine, dlib.engineId);
    });
    expect(read.filter((name) => name === dlib.model)).toHaveLength(1);
  });

  it('frees what is no longer needed, once nothing runs on it, and reads it again when it is', async () => {
    const read = await modelsRead(node, async (engine) => {
      const running = templatesOf(engine, retail.engineId);
      await engine.prepare([dlib.engineId]);
      expect((await running).reference).toHaveLength(retail.dimension);
      await templatesOf(engine, dlib.engineId);
      await templatesOf(engine, retail.engineId);
    });
    expect(read.filter((name) => name === retail.model).length).toBeGreaterThanOrEqual(2);
    expect(read.filter((name) => name === dlib.model)).toHaveLength(1);
  });
});
