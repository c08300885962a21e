import { ok } from 'node:assert/strict';
import type { NodeFaceEngine } from '@svc/face-engine/node';
import type { EngineRecipe, ModelEntry } from '@svc/face-models';
import { floatNetworks, openEngineOf } from '../../inputs/engine.ts';
import { benchEngine, withoutAddOn } from '../inputs/engines.ts';
import { benchPhoto, oneFace } from '../inputs/photo.ts';
import { runsOf } from '../peers/networks.ts';
import type { BenchCase, Ratio, SuiteFactory } from '../suite.ts';

/** The embedding of a probe: the chip and the network, without the mirror image. */
async function probe({ engine }: NodeFaceEngine, recipe: EngineRecipe, form: string): Promise<BenchCase> {
  const { engineId, dimension, matchThreshold } = recipe;
  const { image, analysis } = await oneFace(engine, (await benchPhoto()).rgba);
  const reference = await engine.embed(image, analysis, { engineId });
  const run = () => engine.embed(image, analysis, { engineId, mirror: false });
  const check = async () => {
    const template = await run();
    ok(template.length === dimension && engine.core.cosine(template, reference) > matchThreshold);
  };
  return { name: `${recipe.model}, a probe: ${form}`, run, check };
}

/** Networks and probes in integers, beside the same in floats; each network in TFLite, the preferred engine's in peers. */
export const createSuite: SuiteFactory = async () => {
  const floats = await openEngineOf(await floatNetworks());
  const integers = await benchEngine();
  const cases: BenchCase[] = [];
  const ratios: Ratio[] = [];
  const preferred = integers.engine.recipes[0]?.model;
  for (const { name } of Object.values<ModelEntry>(integers.bundle.manifest.models)) {
    const own = await runsOf(name, integers, floats, name === preferred);
    cases.push(...own);
    for (const { name: slow } of own.slice(1, name === preferred ? undefined : 2)) {
      ratios.push({ name: slow.replace(':', ': integers over'), fast: own[0]?.name ?? '', slow });
    }
  }
  for (const [i, recipe] of integers.engine.recipes.entries()) {
    const fast = await probe(integers, recipe, 'integers');
    const slow = await probe(floats, floats.engine.recipes[i] ?? recipe, 'floats');
    const bar = recipe.model === preferred ? { atLeast: 1.67 } : {};
    cases.push(fast, slow);
    ratios.push({ name: slow.name.replace(':', ': integers over'), fast: fast.name, slow: slow.name, ...bar });
  }
  return {
    title: 'Networks in integers',
    about:
      'Each row is a network, which processes a [drawn head](models.md#are-they-the-original-networks) on one thread. Each column is a runtime: our core (“integers”, “floats”) or another (“on bytes”: with 8-bit integers). In rows with “a probe”, the core also cuts the face out of a frame.',
    cases,
    ratios,
    rounds: 11,
    batchMs: 100,
    skipped: integers.passiveLiveness === null ? [withoutAddOn] : [],
    async close() {
      floats.close();
      await integers.close();
    },
  };
};
