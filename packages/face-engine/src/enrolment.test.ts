import { engineRecipes, type FaceLimits } from '@svc/face-models';
import { describe, expect, it, vi } from 'vitest';
import { enrolOne, refusalOf as refusalBy } from './enrolment.ts';
import { faceAnalysis } from './testing/face-analysis.ts';
import type { Detection, FaceAnalysis, Pose, Quality } from './types.ts';

const { enrolmentLimits } = engineRecipes[0];
const refusalOf = (faces: readonly FaceAnalysis[], limits: FaceLimits = enrolmentLimits) => refusalBy(faces, limits);

interface FaceOptions {
  readonly x?: number;
  readonly quality?: Partial<Quality>;
  readonly pose?: Partial<Pose>;
}

const face = ({ x = 0, quality = {}, pose = {} }: FaceOptions = {}): FaceAnalysis => ({
  ...faceAnalysis({ box: { x, width: 100 }, pose, quality: { faceWidthPx: 100, ...quality } }),
  landmarks: new Float32Array(1404).fill(7),
  reliefChip: new Uint8Array(105 * 105).fill(9),
});

const isWiped = ({ landmarks, reliefChip }: FaceAnalysis) =>
  [...landmarks, ...reliefChip].every((value) => value === 0);

/** Adjacent detections. */
const detectionAt = (i: number): Detection => ({
  box: { x: 2 * i, y: 0, width: 1, height: 1 },
  keypoints: [],
  score: 1,
});

/** Stages whose rounds find the given faces; null stands for a detection that is not a face. */
function stages(...rounds: (FaceAnalysis | null)[][]) {
  const queue = rounds.flat();
  let searched = 0;
  return {
    limits: enrolmentLimits,
    searched: () => searched,
    rounds: (async function* () {
      for (const round of rounds) {
        searched++;
        yield round.map((_, i) => detectionAt(i));
      }
    })(),
    analyse: vi.fn(async () => queue.shift() ?? null),
    embed: vi.fn(async () => new Float32Array(128).fill(1)),
  };
}

describe('enrolOne', () => {
  it('embeds the one face and hands over its analysis', async () => {
    const only = face();
    const given = stages([null, only, null]);
    expect(await enrolOne(given)).toEqual({ ok: true, reference: new Float32Array(128).fill(1), analysis: only });
    expect(given.embed).toHaveBeenCalledExactlyOnceWith(only);
    expect([only.landmarks[0], only.reliefChip[0]]).toEqual([7, 9]);
  });

  it('answers no-face, after all rounds, when nothing is surely a face, and embeds nothing', async () => {
    const given = stages([null, null], [], [null]);
    expect(await enrolOne(given)).toEqual({ ok: false, reason: 'no-face' });
    expect(given.searched()).toBe(3);
    expect(given.embed).not.toHaveBeenCalled();
  });

  it('searches no further once a round holds a face', async () => {
    const given = stages([null], [face()], [face({ x: 500 })]);
    expect((await enrolOne(given)).ok).toBe(true);
    expect(given.searched()).toBe(2);
  });

  it('refuses two faces, with their number, embeds neither and wipes both', async () => {
    const faces = [face(), face({ x: 300 })];
    const given = stages(faces);
    expect(await enrolOne(given)).toEqual({ ok: false, reason: 'several-faces', measured: 2, limit: 1 });
    expect(given.embed).not.toHaveBeenCalled();
    expect(faces.map(isWiped)).toEqual([true, true]);
  });

  it('analyses another detection of the same place only where the first was no face', async () => {
    const twice = (...faces: (FaceAnalysis | null)[]) => {
      const given = stages(faces);
      const rounds = (async function* () {
        yield [detectionAt(0), detectionAt(0)];
      })();
      return { ...given, rounds };
    };
    const confirmedFirst = twice(face(), face({ x: 300 }));
    expect((await enrolOne(confirmedFirst)).ok).toBe(true);
    expect(confirmedFirst.analyse).toHaveBeenCalledTimes(1);
    const confirmedSecond = twice(null, face());
    expect((await enrolOne(confirmedSecond)).ok).toBe(true);
    expect(confirmedSecond.analyse).toHaveBeenCalledTimes(2);
  });

  it('takes two detections of one face for one', async () => {
    const [first, second] = [face(), face({ x: 10 })];
    expect((await enrolOne(stages([first, second]))).ok).toBe(true);
    expect([first, second].map(isWiped)).toEqual([false, true]);
  });

  it('does not count a face far smaller than the main one, whichever is found first', async () => {
    const far = () => face({ x: 300, quality: { faceWidthPx: 33 } });
    const near = () => face({ x: 300, quality: { faceWidthPx: 34 } });
    const [main, other] = [face(), far()];
    expect(await enrolOne(stages([other, main]))).toMatchObject({ ok: true, analysis: main });
    expect([main, other].map(isWiped)).toEqual([false, true]);
    expect(await enrolOne(stages([face(), far()]))).toMatchObject({ ok: true });
    expect(await enrolOne(stages([near(), face()]))).toMatchObject({ reason: 'several-faces' });
  });

  it('wipes every face where something fails', async () => {
    const failure = new Error('broken');
    const fails = () => Promise.reject(failure);
    const one = face();
    await expect(enrolOne({ ...stages([one]), embed: fails })).rejects.toBe(failure);
    const [before, other] = [face(), stages([null, null])];
    const analyse = vi.fn<() => Promise<FaceAnalysis>>(fails).mockImplementationOnce(async () => before);
    await expect(enrolOne({ ...other, analyse })).rejects.toBe(failure);
    expect([one, before].map(isWiped)).toEqual([true, true]);
  });
});

describe('refusalOf', () => {
  const { interEyePx, yawDeg, pitchDeg, brightness, overexposed, sharpness, coverage } = enrolmentLimits;

  it.each<[string, FaceOptions, number, number]>([
    ['face-too-small', { quality: { interEyePx: interEyePx - 1 } }, interEyePx - 1, interEyePx],
    ['turned-away', { pose: { yawDeg: -yawDeg - 1 } }, yawDeg + 1, yawDeg],
    ['turned-away', { pose: { pitchDeg: pitchDeg + 1 } }, pitchDeg + 1, pitchDeg],
    ['too-dark', { quality: { brightness: brightness / 2 } }, brightness / 2, brightness],
    ['too-bright', { quality: { overexposed: 0.9 } }, 0.9, overexposed],
    ['blurred', { quality: { sharpness: sharpness / 2 } }, sharpness / 2, sharpness],
    ['covered', { quality: { coverage: 0.5 } }, 0.5, coverage],
  ])('answers %s with what was measured and the limit', (reason, options, measured, limit) => {
    expect(refusalOf([face(options)])).toEqual({ ok: false, reason, measured, limit });
  });

  it('accepts a face that just meets every limit', () => {
    const quality = { interEyePx, brightness, overexposed, sharpness, coverage };
    expect(refusalOf([face({ quality, pose: { yawDeg, pitchDeg: -pitchDeg } })])).toBeNull();
  });

  it('refuses by the limits that it is given', () => {
    expect(refusalOf([face({ pose: { yawDeg: 20 } })])).toBeNull();
    const stricter = { ...enrolmentLimits, yawDeg: 15 };
    expect(refusalOf([face({ pose: { yawDeg: 20 } })], stricter)).toMatchObject({ reason: 'turned-away', limit: 15 });
  });

  it.each(['interEyePx', 'brightness', 'overexposed', 'sharpness', 'coverage'] as const)(
    'refuses a %s that is no number',
    (key) => {
      expect(refusalOf([face({ quality: { [key]: Number.NaN } })])).not.toBeNull();
    },
  );
});
