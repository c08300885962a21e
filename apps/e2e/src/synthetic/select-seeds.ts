import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { createNodeFaceEngine } from '@svc/face-engine/node';
import { renderHead } from '@svc/synthetic-faces';
import { cosineOf, embedRender } from './enrol-render.ts';

/**
 * Chooses the published identities greedily: seeds 1, 2, 3 … in turn, each accepted when its person is found, enrols
 * from the front, is itself when turned, and stays below the threshold by a margin against everybody accepted before.
 * Usage: select-seeds [count] ; writes packages/synthetic-faces/src/published-seeds.ts
 */
const wanted = Number(process.argv[2] ?? 200);
const margin = 0.01;
const selfLimit = 0.97;
const target = fileURLToPath(new URL('../../../../packages/synthetic-faces/src/published-seeds.ts', import.meta.url));

const { engine, runtime } = await createNodeFaceEngine({ addOnDirectory: null });
const limit = engine.matchThreshold - margin;
const accepted: { readonly seed: number; readonly embedding: Float32Array }[] = [];
const rejected = { notFound: 0, notItself: 0, tooLike: 0 };
let seed = 0;
while (accepted.length < wanted && seed < 100 * wanted) {
  seed++;
  const frame = { width: 480, height: 480, background: { seed, kind: 'wall' as const } };
  const front = renderHead({ ...frame, seed });
  const enrolled = await engine.enrol(front);
  if (!enrolled.ok) {
    rejected.notFound++;
    continue;
  }
  const embedding = Float32Array.from(enrolled.reference);
  if (accepted.some((other) => cosineOf(other.embedding, embedding) >= limit)) {
    rejected.tooLike++;
    continue;
  }
  const turned = await Promise.all(
    [-15, 15].map(async (yawDeg) => embedRender(engine, renderHead({ ...frame, seed, yawDeg, noiseSeed: 1 }))),
  );
  if (turned.some((other) => !other || cosineOf(other.embedding, embedding) < selfLimit)) {
    rejected.notItself++;
    continue;
  }
  accepted.push({ seed, embedding });
  if (accepted.length % 20 === 0) console.log(`${accepted.length} accepted of ${seed} tried`);
}
engine.dispose();
runtime.dispose();
console.log(`accepted ${accepted.length} of ${seed}: ${((100 * accepted.length) / seed).toFixed(1)} %`, rejected);
const rows: string[] = [];
for (let i = 0; i < accepted.length; i += 20)
  rows.push(
    `  ${accepted
      .slice(i, i + 20)
      .map((entry) => entry.seed)
      .join(', ')},`,
  );
await writeFile(
  target,
  `/** Seeds whose people the engine tells apart: made by apps/e2e/src/synthetic/select-seeds.ts, ${accepted.length} of the first ${seed}. */\nexport const publishedSeeds: readonly number[] = [\n${rows.join('\n')}\n];\n`,
);
