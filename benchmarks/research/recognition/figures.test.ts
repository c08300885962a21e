import { loadCore } from '@svc/core';
import type { FaceAnalysis } from '@svc/face-engine';
import { beforeAll, describe, expect, it } from 'vitest';
import { thresholdRule, turnedMarginRule } from './calibration.ts';
import type { Enrolment } from './enrolment.ts';
import { type GalleryReport, reportGallery } from './gallery.ts';
import { type PeoplePair, peopleOfPairs, reportPairs } from './pairs.ts';
import { type DegradedPicture, limitOf, qualityBins, undegraded } from './quality.ts';
import { attempts } from './visit.ts';

describe('gallery report', () => {
  const analysis = { landmarks: new Float32Array(0) } as FaceAnalysis;
  /** A unit vector in the plane: the cosine of two equals that of the angle between them. */
  const at = (degrees: number): Enrolment => {
    const angle = (degrees * Math.PI) / 180;
    return { ok: true, reference: Float32Array.of(Math.cos(angle), Math.sin(angle)), analysis };
  };
  let report: (photos: readonly Enrolment[], targetFmr: number) => GalleryReport | null;
  beforeAll(async () => {
    const engine = {
      core: await loadCore(),
      dimension: 2,
      engineId: 'plane/1',
      matchThreshold: Math.cos(Math.PI / 12),
    };
    report = (enrolments, targetFmr) => {
      const photos = enrolments.map((_, i) => `/photos/${i}.jpg`);
      const byPath = new Map(photos.map((path, i) => [path, enrolments[i] ?? at(0)]));
      return reportGallery({ engine, photos, enrolments: byPath, targetFmr, nameOf: (path) => path.slice(8) });
    };
  });

  it('chooses on the odd-numbered photos and verifies on the even-numbered ones', () => {
    // Odd-numbered: 0°, 10°, 90°, so angles of 10°, 80° and 90°; even-numbered: 45°, 50°, 180°, so 5°, 130° and 135°.
    const result = report([at(0), at(45), at(10), at(50), at(90), at(180)], 1 / 3);
    expect(result?.split.odd).toMatchObject({ photos: 3, fmr: { errors: 1, trials: 3 } });
    expect(result?.split.even).toMatchObject({ photos: 3, fmr: { errors: 1, trials: 3 } });
    // Just above 80°: the best threshold that accepts one of three.
    expect(result?.split.threshold).toBeCloseTo(Math.cos((80 * Math.PI) / 180), 6);
    // Within 15°: 0–10 and 45–50.
    expect(result?.shipped.fmr).toMatchObject({ errors: 2, trials: 15 });
    expect(result?.impostorScores.highest).toBeCloseTo(Math.cos((5 * Math.PI) / 180), 6);
  });

  it('keeps the numbers of photos that could not be enrolled, and names them', () => {
    const failed: Enrolment = { ok: false, reason: 'blurred', measured: 0.1, limit: 0.2 };
    const result = report([at(0), at(45), failed, at(50), at(90), at(180)], 1e-4);
    expect(result?.failuresToEnrol).toEqual([{ file: '2.jpg', reason: 'blurred', measured: 0.1, limit: 0.2 }]);
    expect(result?.failureToEnrolRate).toMatchObject({ errors: 1, trials: 6 });
    expect([result?.split.odd.photos, result?.split.even.photos]).toEqual([2, 3]);
  });

  it('reports nothing if one half has no pair', () => {
    expect(report([at(0), at(45), at(10)], 1e-4)).toBeNull();
  });
});

describe('a visit', () => {
  const at = (degrees: number) => Float32Array.of(...[Math.cos, Math.sin].map((of) => of((degrees * Math.PI) / 180)));
  /** Frames at these angles, NaN for none: 20° matches in front and 57° turned. */
  const ends = async (front: readonly number[], turned: readonly number[], back: readonly number[], photos = [0]) => {
    const plane = {
      core: await loadCore(),
      dimension: 2,
      engineId: 'plane/1',
      matchThreshold: 0.939,
      turnedMargin: 0.4,
    };
    return attempts(plane, photos.map(at), () => async (stage, i) => {
      const degrees = { front, turned, back }[stage][i] ?? Number.NaN;
      return Number.isNaN(degrees) ? null : { templates: { 'plane/1': at(degrees) }, weight: 1 };
    });
  };

  it('needs a match in front, none missed in the turn, and a match at the end', async () => {
    expect(await ends([40, Number.NaN, -10], [50, 50, 50], [10])).toEqual(['match']);
    expect(await ends([...new Array(8).fill(40), 0], [], [0])).toEqual(['first', 'first']);
    expect(await ends([0], [60], [0])).toEqual(['turned', 'turned']);
    expect(await ends([0], [], [40, 40, 40, 0])).toEqual(['second', 'second']);
    expect(await ends([], [], [0])).toEqual(['unseen', 'unseen']);
  });

  it('compares the mean of several frames with the mean of the photos that match the first', async () => {
    expect(await ends([-24, 25], [], [0])).toEqual(['match']);
    expect(await ends([27], [], [27])).toEqual(['first', 'first']);
    // 0° and 16° make 8°; 40° is refused at enrolment.
    expect(await ends([27], [], [27], [0, 16, 40])).toEqual(['match']);
  });
});

describe('pairs report', () => {
  const report = (pairs: readonly PeoplePair[], enrolments: ReadonlyMap<string, Enrolment> = new Map()) =>
    reportPairs({
      ...{ engineId: 'test/1', shippedThreshold: 0.9, faceRule: 'one', pairs, enrolments },
      nameOf: (path) => path.slice(1),
    });
  // 20,000 impostor pairs from 0 up to 0.5; ten genuine pairs, of which one is below and one could not be compared.
  const impostor = Array.from(
    { length: 20_000 },
    (_, i): PeoplePair => ({ same: false, score: i / 40_000, people: [0, 1] }),
  );
  const genuine = [0.95, 0.96, 0.97, 0.98, 0.91, 0.92, 0.93, 0.94, 0.3, null].map(
    (score, i): PeoplePair => ({ same: true, score, people: [i, i] }),
  );
  const result = report([...impostor, ...genuine], new Map([['/a.jpg', { ok: false, reason: 'no-face' }]]));

  it('counts what was compared', () => {
    expect(result.pairs).toMatchObject({ listed: 20_010, genuine: 10, comparedGenuine: 9, comparedImpostor: 20_000 });
    expect(result.failuresToEnrol).toEqual([{ file: 'a.jpg', reason: 'no-face' }]);
  });

  it('gives fnmr at each false match rate', () => {
    expect(result.atFmr['1e-2']?.fmr).toMatchObject({ errors: 200, trials: 20_000 });
    expect(result.atFmr['1e-4']).toMatchObject({
      fmr: { errors: 2 },
      fnmr: { errors: 1, trials: 9 },
      generalisedFnmr: { errors: 2, trials: 10 },
      resolved: true,
    });
    expect(result.atShippedThreshold).toMatchObject({ threshold: 0.9, fmr: { errors: 0 }, fnmr: { errors: 1 } });
    const { fmr, fnmr } = result.atShippedThreshold.personBootstrap95;
    expect([fmr, fnmr?.[0]]).toEqual([null, 0]);
    expect(fnmr?.[1]).toBeGreaterThan(1 / 9);
    // Eight scores above all, one above three fifths.
    expect(result.auc).toBeCloseTo((8 + 12_000.5 / 20_000) / 9, 9);
  });

  it('takes photos linked by genuine pairs, also indirectly, as one person’s', () => {
    const pair = (left: string, right: string, same: boolean) => ({ left, right, same });
    const people = peopleOfPairs([
      pair('a1', 'a2', true),
      pair('a1', 'b1', false),
      pair('a3', 'a2', true),
      pair('b1', 'b2', true),
      pair('a3', 'c1', false),
    ]);
    expect(people.map(String)).toEqual(['0,0', '0,1', '0,0', '1,1', '0,2']);
  });
});

describe('the rules of an engine’s numbers', () => {
  it('take the largest threshold of all sets, rounded up at the third decimal', () => {
    expect(thresholdRule(0.4602, 0.4698)).toBe(0.47);
    expect(thresholdRule(0.946, 0.9449)).toBe(0.946);
    expect(thresholdRule(0.4602, 0.4698, 0.4711)).toBe(0.472);
  });

  it('allow one refusal of a turned face in a hundred, and no negative margin', () => {
    // The third lowest of 200 must match.
    const scores = Array.from({ length: 200 }, (_, i) => 0.4 + i / 1000);
    expect(turnedMarginRule(scores, 0.47)).toBe(0.068);
    expect(turnedMarginRule(scores, 0.3)).toBe(0);
    expect(() => turnedMarginRule([], 0.5)).toThrow(RangeError);
  });

  const quality = { faceWidthPx: 0, interEyePx: 0, brightness: 0.5, contrast: 0, sharpness: 0, coverage: 1 };
  const small = (eyes: number, matched: number, compared = 100): DegradedPicture => ({
    ...{ degradation: 'small', compared, matched },
    quality: { ...quality, overexposed: 0, interEyePx: eyes },
  });
  const measured = [small(30, 98), small(26, 97), small(22, 95), small(18, 90), small(14, 99)];
  const limit = (pictures: readonly DegradedPicture[], base: number) =>
    limitOf(qualityBins(pictures, 'small'), base, true);

  it('end before the first bin of quality that costs more than five points, whatever follows', () => {
    expect(limit(measured, 0.98)).toBe(20);
    expect(limit(measured, 0.94)).toBe(12);
    expect(limit(measured.slice(3, 4), 0.98)).toBeNull();
    // A bin with few comparisons is passed over.
    expect(limit([small(30, 98), small(26, 1, 5), small(22, 98)], 0.98)).toBe(20);
  });

  it('go upwards if low values are good', () => {
    const burnt = (overexposed: number, matched: number): DegradedPicture => ({
      ...{ degradation: 'overexposed', compared: 100, matched },
      quality: { ...quality, overexposed },
    });
    const bins = qualityBins([burnt(0.01, 98), burnt(0.25, 97), burnt(1, 20)], 'overexposed');
    expect(limitOf(bins, 0.98, false)).toBe(0.3);
  });

  it('compare with the undegraded photo, and leave out pictures without a face', () => {
    const whole = { ...small(30, 3, 4), degradation: null };
    expect(undegraded([whole, { ...whole, quality: null, matched: 0 }, ...measured])).toMatchObject({
      ...{ errors: 3, trials: 4 },
    });
  });
});
