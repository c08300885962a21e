/** What the core does for a guest: in Node and in a page of any engine (bits.spec.ts). */
import { type FaceCore, loadCore } from '@svc/core';
import { createWasmAead } from '@svc/core/aead';
import {
  deriveLookupKey,
  encodePack,
  lookupTag,
  openRecord,
  parsePack,
  sealCheckRecord,
  sealRecord,
} from '@svc/core/pack';
import { createCoreRuntime, createFaceAnalyser, trialFrame } from '@svc/face-engine';
import { openModelBundleAt } from '@svc/face-engine/browser';
import { goldenInput } from '@svc/face-models';

const PEOPLE = 1_000;
const list = { listId: 'lst_speed', epoch: 1, engineId: 'speed/1', dimension: 128, deleteAfterMs: 4_102_444_800_000 };

type Numbers = Uint8Array | Float32Array;
/** Answers what it computed. */
type Works = Record<string, () => Numbers | Promise<Numbers>>;

async function kernelWorks(core: FaceCore): Promise<Works> {
  const aead = createWasmAead(core);
  const [key, nonce, aad] = [new Uint8Array(32).fill(3), new Uint8Array(12).fill(7), new Uint8Array(64)];
  const message = new Uint8Array(1_000_000).fill(5);
  const wave = (shift: number) => Float32Array.from({ length: list.dimension }, (_, i) => ((i * 37 + shift) % 64) - 31);
  const [template, reference] = [wave(0), wave(11)];
  core.normalise(template);
  const seal = (person: number) => sealRecord(aead, { ...list, listKey: key, template, personId: `T-${person}` });
  const records = await Promise.all(Array.from({ length: PEOPLE }, (_, person) => seal(person)));
  const checkRecord = await sealCheckRecord(aead, { ...list, listKey: key });
  const [epoch] = parsePack(
    encodePack({ ...list, listVersion: 1, epochs: [{ ...list, checkRecord, records }] }),
  ).epochs;
  const lookupKey = deriveLookupKey(key);
  const image = core.image(trialFrame());
  const out = new Float32Array(128 * 128 * 3);
  return {
    'records found and opened': () => {
      const record = epoch?.find(lookupTag(lookupKey, 'T-42')) ?? new Uint8Array();
      return openRecord(aead, { ...list, listKey: key, personId: 'T-42', record });
    },
    'AES-256-GCM sealed': () => aead.sealSync(key, nonce, message, aad),
    'templates compared': () => Float32Array.of(core.cosine(template, reference)),
    'frames warped to 128 px': () =>
      image.warpToFloat({ a: 2.9, b: -0.6, c: 90, d: 0.6, e: 2.9, f: 40 }, 128, 128, { out }),
  };
}

/** @param models where the page has the model bundle */
async function networkWorks(core: FaceCore, models: string): Promise<Works> {
  const bundle = await openModelBundleAt(models);
  const runtime = createCoreRuntime(core);
  const engine = await createFaceAnalyser({ core, runtime, bundle });
  const image = engine.open(trialFrame());
  const [face] = await engine.detect(image);
  const embedding = bundle.manifest.models['face-embedding'];
  if (face === undefined || embedding === undefined) throw new Error('a face is seen, and described');
  const embedder = await runtime.load(await bundle.read(embedding.name));
  const chip = goldenInput(embedding);
  return {
    detector: async () => Float32Array.from((await engine.detect(image)).flatMap(({ box }) => [box.x, box.width])),
    'mesh, pose and quality': async () => (await engine.analyse(image, face))?.landmarks ?? new Float32Array(),
    embedding: async () => {
      embedder.input(0).set(chip);
      await embedder.run();
      return embedder.output(0);
    },
  };
}

export async function openCoreWork(models: string) {
  const core = await loadCore();
  const works = Object.entries({ ...(await kernelWorks(core)), ...(await networkWorks(core, models)) });
  return {
    /** SHA-256 of each result, and the kind of core. */
    async results() {
      const all: Record<string, readonly number[] | string> = { core: core.kind };
      for (const [name, work] of works) {
        const digest = await crypto.subtle.digest('SHA-256', (await work()).slice());
        all[name] = [...new Uint8Array(digest)];
      }
      return all;
    },
  };
}

Object.assign(globalThis, { openCoreWork });
