import type { FaceEngine, PassiveLiveness } from '@svc/face-engine';
import { createNodeFaceEngine } from '@svc/face-engine/node';
import {
  identitySeed,
  type RenderedImage,
  renderHead,
  renderPrint,
  renderScene,
  renderScreen,
} from '@svc/synthetic-faces';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openEngine, type TemporaryAddOn, temporaryAddOn, withMiniFasNet } from '../../inputs/engine.ts';
import { meanOf, shareAbove } from '../../statistics/summary.ts';
import { embedIdentities, frontalImpostors, genuinePairs, turnedAgainstFrontal, yawErrors } from './distribution.ts';
import { livenessFrame, passiveFigures, scored } from './measure.ts';

let engine: FaceEngine;
let passive: PassiveLiveness | null = null;
let addOn: TemporaryAddOn | null = null;

beforeAll(async () => {
  addOn = await temporaryAddOn(['minifasnet', 'face-reidentification-retail-0095']);
  const made = await openEngine(withMiniFasNet(addOn?.directory ?? null));
  engine = made.engine;
  passive = made.passiveLiveness;
  return async () => {
    made.close();
    await addOn?.remove();
  };
});

/** Confirmed faces, with their parallax. */
async function facesIn(
  render: RenderedImage,
): Promise<{ readonly widthPx: number; readonly parallax: number; readonly x: number }[]> {
  const image = engine.open(render);
  try {
    const found = [];
    for (const detection of await engine.detect(image)) {
      const analysis = await engine.analyse(image, detection);
      if (analysis)
        found.push({
          widthPx: analysis.box.width,
          parallax: analysis.parallax,
          x: analysis.box.x + analysis.box.width / 2,
        });
    }
    return found;
  } finally {
    image.dispose();
  }
}

describe('rendered people', () => {
  async function expectTellsApart(engineId: string): Promise<void> {
    const { engine: asked, runtime } = await createNodeFaceEngine({
      addOnDirectory: addOn?.directory ?? null,
      passiveModel: null,
      engineId,
    });
    onTestFinished(() => {
      asked.dispose();
      runtime.dispose();
    });
    expect(asked.engineId).toBe(engineId);
    const seeds = Array.from({ length: 7 }, (_, i) => identitySeed(i * 24 + 3));
    const set = await embedIdentities(asked, seeds, [0, 15]);
    expect(set.notEnrolled).toEqual([]);
    expect(set.embeddings.flat().every((embedding) => embedding !== null)).toBe(true);
    expect(Math.min(...set.detectionScores)).toBeGreaterThan(0.6);
    expect(Math.min(...set.faceFlags)).toBeGreaterThan(0.9);
    const impostors = frontalImpostors(set);
    expect(impostors).toHaveLength(21);
    expect(shareAbove(impostors, asked.matchThreshold)).toBeLessThanOrEqual(0.001);
    expect(shareAbove(genuinePairs(set), asked.matchThreshold)).toBeGreaterThanOrEqual(0.98);
    const { turnedMargin } = asked.recipes.find((recipe) => recipe.engineId === engineId) ?? expect.unreachable();
    const turned = asked.matchThreshold - turnedMargin;
    const { genuine, impostor } = turnedAgainstFrontal(set, 15);
    expect(shareAbove(genuine, turned)).toBe(1);
    expect(shareAbove(impostor, turned)).toBeLessThan(0.05);
  }

  it('are different people for different seeds and the same person for the same seed', async () => {
    await expectTellsApart('dlib-resnet-128-mirror/1');
  }, 240_000);

  it('are so for the recognition add-on too', async () => {
    if (!addOn) {
      console.log('skipped: no ../shared');
      return;
    }
    await expectTellsApart('retail-0095-mirror/3');
  }, 240_000);

  it('turn by the given angle', async () => {
    const errors = await yawErrors(engine, [0, 50, 100].map(identitySeed), [-30, 0, 30]);
    expect(Math.max(...errors.map(Math.abs))).toBeLessThan(8);
    expect(meanOf(errors.map(Math.abs))).toBeLessThan(5);
  });

  it('show parallax when they turn, unlike a print', async () => {
    const seed = identitySeed(0);
    for (const angle of [-25, 25]) {
      const [live] = await facesIn(renderHead({ ...livenessFrame, seed, yawDeg: angle }));
      const [print] = await facesIn(renderPrint({ ...livenessFrame, head: { seed }, turnDeg: angle }));
      expect(live?.parallax).toBeGreaterThan(0.08);
      expect(print?.parallax).toBeLessThan(0.08);
    }
  });

  it('are found one by one in a scene, including tiny ones', async () => {
    const [a, b] = [identitySeed(1), identitySeed(2)];
    const two = await facesIn(
      renderScene({
        width: 640,
        height: 480,
        heads: [
          { seed: a, centreX: 0.27, distance: 1.7 },
          { seed: b, centreX: 0.73, distance: 1.7 },
        ],
      }),
    );
    expect(two.map((face) => Math.round(face.x / 320)).sort()).toEqual([1, 1]);
    expect(two).toHaveLength(2);
    expect(await facesIn(renderScene({ width: 640, height: 480, heads: [] }))).toEqual([]);
    const [tiny] = await facesIn(renderHead({ seed: a, width: 640, height: 480, distance: 6 }));
    expect(tiny?.widthPx).toBeLessThan(60);
  });

  it('look live to the passive networks, and flat on paper and screen', async () => {
    if (!passive) {
      console.log('skipped: no ../shared');
      return;
    }
    for (const index of [0, 77, 150]) {
      const figures = await passiveFigures(engine, passive, identitySeed(index), [0, 22]);
      expect(meanOf(scored(figures.live))).toBeGreaterThanOrEqual(0.6);
      for (const attack of [figures.print, figures.screen]) expect(meanOf(scored(attack))).toBeLessThan(0.4);
    }
  });

  it('keep a screen’s replay of a turn recognisable as a turned face, which only passive liveness detects', async () => {
    const [face] = await facesIn(renderScreen({ ...livenessFrame, head: { seed: identitySeed(0), yawDeg: 25 } }));
    expect(face?.parallax).toBeGreaterThan(0.08);
  });
});
