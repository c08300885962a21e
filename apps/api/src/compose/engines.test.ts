import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '@svc/durable-fs/testing/folder';
import { type EngineRecipe, engineRecipes, versionsOf } from '@svc/face-models';
import { installAddOn } from '@svc/face-models/node';
import { sharedData } from '@svc/face-models/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ConfigurationError, readConfig } from '../config/config.ts';
import { createEngines } from '../inference/engines.ts';
import { createFakeInference } from '../testing/fake-inference.ts';
import { createLogSink, testModels } from '../testing/test-api.ts';
import { openEngines } from './engines.ts';
import { startApi } from './start-api.ts';

const { base, addOn } = testModels;
const published = sharedData('models');
if (published === null) process.stdout.write('skipped: no ../shared (engines of add-ons)\n');
let modelsDirectory: string;
let errors: unknown[];
const logger = { error: (...error: unknown[]) => errors.push(error) };

beforeEach(async () => {
  errors = [];
  modelsDirectory = temporaryFolder();
});

const namesOf = (recipe: EngineRecipe) => versionsOf(recipe).map(({ engineId }) => engineId);

const open = async (engineId?: string) => {
  const { engines, addOnDirectory } = await openEngines({ modelsDirectory, engineId }, logger as never);
  const installed = engines.known.filter((engine) => engines.isInstalled(engine.engineId));
  return { engines, addOnDirectory, installed: installed.map((engine) => engine.engineId) };
};

describe('the engines of a node', () => {
  afterEach(() => expect(errors.length).toBeLessThan(2));

  it('are the base engine alone where no add-on is installed, and the others are known', async () => {
    const { engines, installed } = await open();
    expect([engines.standard.engineId, installed]).toEqual([base.engineId, namesOf(base)]);
    expect(engines.ofModel(addOn.modelId)?.engineId).toBe(addOn.engineId);
    expect(engines.modelIdOf(addOn.engineId)).toBe(addOn.modelId);
    expect(() => engines.require(addOn.engineId)).toThrow(expect.objectContaining({ code: 'model-missing' }));
    expect(engines.modelIdOf('of-another-edition/9')).toBe((await open()).engines.modelIdOf('of-another-edition/9'));
    expect(engines.modelIdOf('of-another-edition/9')).not.toBe(engines.modelIdOf('of-another-edition/8'));
  });

  it('have the model ids that nodes of a former release derive from their names', async () => {
    const former = createEngines({ known: [], installed: [], standard: base, checksPhotos: false, passive: null });
    for (const { engineId, modelId } of engineRecipes) expect(former.modelIdOf(engineId)).toBe(modelId);
  });

  it('are known by their former versions too, which SVC_ENGINE can name', async () => {
    const [former] = base.former;
    const { engines } = await open(former.engineId);
    expect(engines.standard).toMatchObject({ ...former, dimension: base.dimension });
    expect(engines.require(former.engineId)).toBe(engines.ofModel(former.modelId));
    expect(engines.modelIdOf(former.engineId)).toBe(former.modelId);
  });

  it('SVC_ENGINE has to be installed', async () => {
    expect((await open(base.engineId)).engines.standard.engineId).toBe(base.engineId);
    await expect(open(addOn.former[0].engineId)).rejects.toThrow(ConfigurationError);
    const refused = open(addOn.engineId);
    await expect(refused).rejects.toThrow(ConfigurationError);
    await expect(refused).rejects.toThrow('npm run svc -- models add face-reidentification-retail-0095');
  });

  it('a damaged folder of add-ons keeps no node from starting', async () => {
    await mkdir(join(modelsDirectory, 'minifasnet'));
    await writeFile(join(modelsDirectory, 'minifasnet', 'manifest.json'), 'not a manifest');
    expect(await open()).toMatchObject({ addOnDirectory: null, installed: namesOf(base) });
    expect(errors).toHaveLength(1);
  });

  it.skipIf(published === null)(
    'an add-on’s engine is the standard one where it is installed, unless SVC_ENGINE says another',
    async () => {
      await installAddOn('face-reidentification-retail-0095', {
        from: published ?? '',
        addOnDirectory: modelsDirectory,
      });
      const { engines, installed } = await open();
      expect([engines.standard.engineId, installed]).toEqual([addOn.engineId, [...namesOf(addOn), ...namesOf(base)]]);
      expect((await open(base.engineId)).engines.standard.engineId).toBe(base.engineId);
    },
  );
});

describe('start', () => {
  it('loads the models beside the opening of the database, and ends the threads when that fails', async () => {
    const directory = temporaryFolder();
    const close = vi.fn(() => Promise.resolve());
    const createInference = vi.fn(() => ({ ...createFakeInference(), close }));
    const config = readConfig({
      DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/none',
      SVC_DATA_DIR: directory,
      SVC_MODELS_DIR: join(directory, 'models'),
    });
    await expect(startApi(config, { createInference, logDestination: createLogSink() })).rejects.toThrow();
    expect(createInference).toHaveBeenCalledOnce();
    expect(close).toHaveBeenCalledOnce();
  });
});
