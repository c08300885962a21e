import { loadCore } from '@svc/core';
import type { FaceAnalysis } from '@svc/face-engine';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Enrolment } from './enrolment.ts';
import { type GalleryReport, reportGallery } from './evaluate-gallery.ts';

const analysis = { landmarks: new Float32Array(0) } as FaceAnalysis;

/** A unit vector in the plane: the cosine of two equals that of the angle between them. */
const at = (degrees: number): Enrolment => {
  const angle = (degrees * Math.PI) / 180;
  return { ok: true, reference: Float32Array.of(Math.cos(angle), Math.sin(angle)), analysis };
};

let report: (photos: readonly Enrolment[], targetFmr: number) => GalleryReport | null;

beforeAll(async () => {
  const engine = { core: await loadCore(), dimension: 2, engineId: 'plane/1', matchThreshold: Math.cos(Math.PI / 12) };
  report = (enrolments, targetFmr) => {
    const photos = enrolments.map((_, i) => `/photos/${i}.jpg`);
    const byPath = new Map(photos.map((path, i) => [path, enrolments[i] ?? at(0)]));
    return reportGallery({ engine, photos, enrolments: byPath, targetFmr, nameOf: (path) => path.slice(8) });
  };
});

describe('gallery report', () => {
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
    expect(result?.split.odd.photos).toBe(2);
    expect(result?.split.even.photos).toBe(3);
  });

  it('reports nothing if one half has no pair', () => {
    expect(report([at(0), at(45), at(10)], 1e-4)).toBeNull();
    expect(report([at(0), at(45)], 1e-4)).toBeNull();
  });
});
