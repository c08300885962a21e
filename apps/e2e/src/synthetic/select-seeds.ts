import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { FaceEngine, PassiveLiveness } from '@svc/face-engine';
import { createNodeFaceEngine } from '@svc/face-engine/node';
import { cosineOf, embedRender } from './enrol-render.ts';
import { identityRender, meanOf, passiveFigures, scored, trackedYaw } from './measure.ts';
import { temporaryAddOn, withMiniFasNet } from './passive-add-on.ts';

/**
 * Chooses the published identities greedily: seeds 1, 2, 3 … in turn, each accepted when its person enrols from the
 * front, stays below the threshold by a margin against everybody accepted before, is itself and rightly tracked when
 * turned, and looks live in person and flat on paper and screen. Writes packages/synthetic-faces/src/published-seeds.ts.
 *
 * Usage: select-seeds.ts [count = 200]
 */
const wanted = Number(process.argv[2] ?? 200);
const margin = 0.004;
const selfLimit = 0.97;
const yawMeanErrorDeg = 4;
const yawWorstErrorDeg = 7;
const liveMean = 0.75;
const liveLeast = 0.4;
const attackMean = 0.3;
const target = fileURLToPath(new URL('../../../../packages/synthetic-faces/src/published-seeds.ts', import.meta.url));

type Reason =
  | 'accepted'
  | 'not enrolled'
  | 'too like another'
  | 'not itself when turned'
  | 'yaw off'
  | 'live not live'
  | 'attack not seen';

interface Candidate {
  readonly seed: number;
  readonly embedding: Float32Array;
}

async function judge(
  engine: FaceEngine,
  passive: PassiveLiveness | null,
  seed: number,
  accepted: Candidate[],
): Promise<Reason> {
  const enrolled = await engine.enrol(identityRender(seed, 0));
  if (!enrolled.ok) return 'not enrolled';
  const embedding = Float32Array.from(enrolled.reference);
  const limit = engine.matchThreshold - margin;
  if (accepted.some((other) => cosineOf(other.embedding, embedding) >= limit)) return 'too like another';
  const errors: number[] = [];
  for (const yawDeg of [-15, 15]) {
    const turned = await embedRender(engine, identityRender(seed, yawDeg));
    if (!turned || cosineOf(turned.embedding, embedding) < selfLimit) return 'not itself when turned';
    errors.push(Math.abs(turned.analysis.pose.yawDeg - yawDeg));
  }
  for (const yawDeg of [-30, 30]) {
    const turned = await trackedYaw(engine, identityRender(seed, yawDeg));
    errors.push(turned === null ? Number.POSITIVE_INFINITY : Math.abs(turned - yawDeg));
  }
  if (meanOf(errors) > yawMeanErrorDeg || Math.max(...errors) > yawWorstErrorDeg) return 'yaw off';
  if (passive) {
    const figures = await passiveFigures(engine, passive, seed, [0]);
    const live = scored(figures.live);
    if (live.length < 3 || meanOf(live) < liveMean || Math.min(...live) < liveLeast) return 'live not live';
    for (const attack of [scored(figures.print), scored(figures.screen)]) {
      if (attack.length > 0 && meanOf(attack) > attackMean) return 'attack not seen';
    }
  }
  accepted.push({ seed, embedding });
  return 'accepted';
}

const addOn = await temporaryAddOn();
if (!addOn) console.log('without the passive-liveness add-on: no ../shared, so nobody is asked to look live');
const { engine, passiveLiveness, runtime } = await createNodeFaceEngine(withMiniFasNet(addOn?.directory ?? null));
const accepted: Candidate[] = [];
const reasons = new Map<Reason, number>();
let seed = 0;
while (accepted.length < wanted && seed < 100 * wanted) {
  seed++;
  const reason = await judge(engine, passiveLiveness, seed, accepted);
  reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  if (seed % 25 === 0) console.log(`${accepted.length} of ${seed}`, Object.fromEntries(reasons));
}
passiveLiveness?.dispose();
engine.dispose();
runtime.dispose();
await addOn?.remove();
console.log(
  `accepted ${accepted.length} of ${seed}: ${((100 * accepted.length) / seed).toFixed(1)} %`,
  Object.fromEntries(reasons),
);
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
  `/** Seeds whose people the engine tells apart: ${accepted.length} of the first ${seed}, chosen by apps/e2e/src/synthetic/select-seeds.ts. */\nexport const publishedSeeds: readonly number[] = [\n${rows.join('\n')}\n];\n`,
);
