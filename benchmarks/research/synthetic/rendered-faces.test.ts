import type { FaceAnalysis } from '@svc/face-engine';
import {
  type HeadOptions,
  identitySeed,
  publishedIdentityCount,
  type RenderedImage,
  renderHead,
  renderPrint,
  renderScreen,
} from '@svc/synthetic-faces';
import { beforeAll, describe, expect, it } from 'vitest';
import { type OpenEngine, openEngine, temporaryAddOn, withMiniFasNet } from '../../inputs/engine.ts';
import { meanOf, shareAbove } from '../../inputs/summary.ts';
import { withFace } from '../first-face.ts';
import { againstFrontal, embedIdentities, livenessFrame } from './identities.ts';

let node: OpenEngine;
beforeAll(async () => {
  const addOn = await temporaryAddOn(['minifasnet', 'face-reidentification-retail-0095']);
  if (addOn === null) console.log('skipped: no ../shared (add-ons on rendered faces)');
  node = await openEngine(withMiniFasNet(addOn?.directory ?? null));
  return async () => {
    node.close();
    await addOn?.remove();
  };
});

const frame = { width: 320, height: 240 } as const;
/** Near enough for 60 pixels between the eyes in the small frame, far enough to show the shoulders. */
const distance = 0.9;
const head = (index: number, options: Partial<HeadOptions> = {}): RenderedImage =>
  renderHead({ ...frame, distance, seed: identitySeed(index), ...options });

async function analysed(picture: RenderedImage): Promise<Pick<FaceAnalysis, 'pose' | 'parallax' | 'box'>> {
  const face = await withFace(node.engine, picture, ({ pose, parallax, box }) => ({ pose, parallax, box }));
  return face ?? expect.unreachable();
}

describe('pose', () => {
  it.each([-30, 30])('measures a yaw of %i degrees, its sign included', async (yawDeg) => {
    expect(Math.abs((await analysed(head(3, { yawDeg }))).pose.yawDeg - yawDeg)).toBeLessThan(10);
  });

  it('measures pitch downwards and roll towards the right shoulder, as ISO/IEC 19794-5 counts them', async () => {
    // The renderer counts pitch upwards and roll clockwise for the viewer.
    const { pose } = await analysed(head(3, { pitchDeg: 15, rollDeg: -20 }));
    expect(Math.abs(pose.pitchDeg + 15)).toBeLessThan(10);
    expect(Math.abs(pose.rollDeg - 20)).toBeLessThan(6);
  });
});

describe('parallax', () => {
  it.each([-25, 25])('tells a head from a print, both turned by %i degrees', async (angle) => {
    const seed = identitySeed(0);
    const live = await analysed(renderHead({ ...livenessFrame, seed, yawDeg: angle }));
    const print = await analysed(renderPrint({ ...livenessFrame, head: { seed }, turnDeg: angle }));
    expect(live.parallax).toBeGreaterThan(0.08);
    expect(print.parallax).toBeLessThan(0.08);
  });

  it('cannot tell a screen’s replay of a turn, which only passive liveness detects', async () => {
    const { parallax } = await analysed(
      renderScreen({ ...livenessFrame, head: { seed: identitySeed(0), yawDeg: 25 } }),
    );
    expect(parallax).toBeGreaterThan(0.08);
  });
});

it.each<[string, () => RenderedImage]>([
  ['turned-away', () => head(3, { yawDeg: 45 })],
  // A dark face must still be found to be reported as dark.
  ['too-dark', () => renderHead({ ...frame, distance, seed: identitySeed(2), exposure: 0.04 })],
])('enrolment answers %s', async (reason, render) => {
  expect(await node.engine.enrol(render())).toMatchObject({ ok: false, reason });
});

describe('published identities', () => {
  it('are different people for different seeds and the same person for the same seed, with every engine', async () => {
    for (const recipe of node.engine.recipes) {
      const seeds = Array.from({ length: 4 }, (_, i) => identitySeed(i * 24 + 3));
      const set = await embedIdentities(node.engine, seeds, [{}, { yawDeg: 15 }], recipe.engineId);
      expect(set.notEnrolled).toEqual([]);
      expect(set.embeddings.flat().every((embedding) => embedding !== null)).toBe(true);
      const frontal = againstFrontal(set, ({ yawDeg }) => yawDeg === undefined);
      expect(frontal.impostor).toHaveLength(12);
      expect(shareAbove(frontal.impostor, recipe.matchThreshold)).toBe(0);
      const { genuine, impostor } = againstFrontal(set, ({ yawDeg }) => yawDeg === 15);
      expect(shareAbove(genuine, recipe.matchThreshold)).toBe(1);
      expect(shareAbove(impostor, recipe.matchThreshold - recipe.turnedMargin)).toBeLessThan(0.05);
    }
  }, 240_000);

  it.runIf(process.env.SVC_TEST_ALL)('enrol in light from aside, but for two', { timeout: 1_800_000 }, async () => {
    const refused: string[] = [];
    for (let i = 0; i < publishedIdentityCount; i += 1)
      for (const azimuthDeg of [-24, 24]) {
        const picture = { seed: identitySeed(i), width: 640, height: 480, noiseSeed: i, light: { azimuthDeg } };
        if (!(await node.engine.enrol(renderHead(picture))).ok) refused.push(`${i} at ${azimuthDeg}°`);
      }
    expect(refused).toEqual(['22 at 24°', '29 at 24°']);
  });

  it('look live to the passive networks, and flat on paper and screen', async () => {
    const { engine, passiveLiveness } = node;
    if (!passiveLiveness) return;
    const own = { seed: identitySeed(0), distance: livenessFrame.distance };
    const meanScore = async (turns: readonly number[], render: (turnDeg: number) => RenderedImage) => {
      const scores: number[] = [];
      for (const turn of turns) {
        const scored = await withFace(engine, render(turn), (face, image) => passiveLiveness.score(image, face));
        scores.push(scored?.score ?? expect.unreachable());
      }
      return meanOf(scores);
    };
    const live = await meanScore([0, -22, 22], (yawDeg) => renderHead({ ...livenessFrame, ...own, yawDeg }));
    const print = await meanScore([0, 22], (turnDeg) => renderPrint({ ...livenessFrame, head: own, turnDeg }));
    const screen = await meanScore([0, 22], (yawDeg) =>
      renderScreen({ ...livenessFrame, head: { ...own, yawDeg }, turnDeg: yawDeg / 6 }),
    );
    expect(live).toBeGreaterThanOrEqual(0.6);
    expect(Math.max(print, screen)).toBeLessThan(0.4);
  });
});
