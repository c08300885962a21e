import { readFileSync } from 'node:fs';
import { type FaceAnalysis, minifasnetCalibration } from '@svc/face-engine';
import { describe, expect, it } from 'vitest';
import { agreementTable, correlationOf } from './agreement.ts';
import type { ScoredAttempt } from './attempts.ts';
import type { WindowScore } from './clip-scores.ts';
import { type HeldOutFace, partOf } from './held-out-faces.ts';
import { attemptsTable, samplesTable, windowsTable } from './presence-report.ts';
import { unmetLimits } from './ungated-models.ts';

const models = [{ name: 'minifasnet', calibration: minifasnetCalibration }] as const;
const scored = (score: number, ...unmet: string[]) => ({ minifasnet: { score, unmet } });

describe('the table of samples', () => {
  it('marks people below the bar and attacks above it, and shows what would not be scored', () => {
    const table = samplesTable(models, [
      { path: 'true', shows: 'a person', scores: scored(0.6) },
      { path: 'rejected', shows: 'a person', scores: scored(0.59, 'room 1.20 < 2') },
      { path: 'caught', shows: 'a print', scores: scored(0.2) },
      { path: 'missed', shows: 'a screen', scores: scored(0.95) },
      { path: 'unseen', shows: 'a screen', scores: null },
    ]);
    expect(table.split('\n').slice(2)).toEqual([
      '| `true` | a person | 0.600 |  |',
      '| `rejected` | a person | **0.590** | room 1.20 < 2 |',
      '| `caught` | a print | 0.200 |  |',
      '| `missed` | a screen | **0.950** |  |',
      '| `unseen` | a screen | – | no face |',
      '| errors (of those that would be scored) |  | 2 (1) |  |',
    ]);
  });

  it('shows it per model if they differ', () => {
    const both = [...models, { name: 'presence', calibration: minifasnetCalibration }] as const;
    const scores = { ...scored(0.9, 'room 1.20 < 2'), presence: { score: 0.9, unmet: [] } };
    expect(samplesTable(both, [{ path: 'p', shows: 'a person', scores }])).toContain(
      '| minifasnet: room 1.20 < 2; presence: scored |',
    );
  });
});

describe('the table of windows', () => {
  it('marks what the device would have taken for an attack', () => {
    const window = (of: Partial<WindowScore>) => ({
      clip: 'clip',
      startMs: 3000,
      scores: {
        minifasnet: { attackFrame: false, everBelow: false, belowAtEnd: false, mean: 0.9, lowest: 0.7, ...of },
      },
    });
    const windows = [
      window({}),
      window({ everBelow: true, belowAtEnd: true, mean: 0.5 }),
      window({ attackFrame: true, lowest: 0.05 }),
      window({ everBelow: null, belowAtEnd: null }),
      window({ everBelow: null, belowAtEnd: null, mean: null, lowest: null }),
    ];
    expect(windowsTable(models, windows).split('\n').slice(2)).toEqual([
      '| `clip` | 3–6 s | 0.900 / 0.700 |',
      '| `clip` | 3–6 s | **0.500 / 0.700** |',
      '| `clip` | 3–6 s | **0.900 / 0.050** |',
      '| `clip` | 3–6 s | 0.900 / 0.700 no estimate |',
      '| `clip` | 3–6 s | – |',
      '| below 0.9 at some frame, or a frame in the band of attacks |  | 2 of 5 |',
      '| below 0.9 over the three seconds |  | 1 of 5 |',
      '| without an estimate |  | 2 of 5 |',
    ]);
  });
});

describe('the table of attempts', () => {
  const attempt = (kind: string, mean: number | null, more: Partial<ScoredAttempt> = {}): ScoredAttempt => ({
    kind,
    frames: 6,
    withoutFace: 0,
    mean: mean === null ? {} : { minifasnet: mean },
    unscorable: {},
    ...more,
  });

  it('separates people and each kind of attack', () => {
    const attempts = [
      attempt('print', 0.2),
      attempt('print', 0.7, { unscorable: { minifasnet: 2 } }),
      attempt('live', 0.9),
      attempt('live', 0.5),
      attempt('mask', null, { withoutFace: 6 }),
    ];
    expect(attemptsTable(models, attempts).split('\n').slice(2)).toEqual([
      '| live | 2 | 0 | 0.700, 1 wrong |',
      '| print | 2 | 0 | 0.450, 1 wrong, AUC 0.750, 2 frames would not be scored |',
      '| mask | 1 | 6 | – |',
      '| all attacks | 3 | 6 | 0.450, 1 wrong, AUC 0.750, 2 frames would not be scored |',
    ]);
  });
});

describe('unmetLimits', () => {
  const quality: FaceAnalysis['quality'] = {
    faceWidthPx: 120,
    interEyePx: 50,
    brightness: 0.5,
    contrast: 0.1,
    overexposed: 0,
    sharpness: 0.5,
    coverage: 1,
  };
  const frame = { width: 640, height: 480 };
  const box = { x: 260, y: 160, width: 120, height: 160 };

  it('names the limits that a face violates', () => {
    const of = (more: Partial<FaceAnalysis['quality']>, width = 120) =>
      unmetLimits(frame, { box: { ...box, width }, quality: { ...quality, ...more } }, minifasnetCalibration.scorable);
    expect(of({})).toEqual([]);
    expect(of({ interEyePx: 30, brightness: 0.01, overexposed: 0.5 })).toEqual([
      'eyes 30 px < 36',
      'brightness 0.01 < 0.08',
      'burnt out 0.50 > 0.4',
    ]);
    expect(of({ sharpness: Number.NaN }, 460)).toEqual(['room 1.24 < 1.3', 'sharpness NaN < 0.15']);
  });
});

const pairs = (...of: [number, number][]) => of.map(([own, theirs]) => ({ own, theirs }));

describe('the agreement with the teacher', () => {
  it('is Pearson’s correlation', () => {
    expect(correlationOf(pairs([0.1, 0.2], [0.3, 0.4], [0.8, 0.9]))).toBeCloseTo(1, 12);
    expect(correlationOf(pairs([0.1, 0.9], [0.9, 0.1]))).toBeCloseTo(-1, 12);
    expect(correlationOf(pairs([0, 1], [1, 3], [2, 2]))).toBeCloseTo(0.5, 12);
    expect(correlationOf(pairs([0.5, 0.1], [0.5, 0.9]))).toBeNaN();
  });

  it('is given for all faces, by room and by source', () => {
    const face = (
      source: string,
      room: number,
      presence: number,
      minifasnet: number,
      isScored = true,
    ): HeldOutFace => ({
      source,
      room,
      isScored,
      scores: { presence, minifasnet },
    });
    const faces = [
      face('b', 3, 0.9, 0.8),
      face('b', 1.5, 0.55, 0.7, false),
      face('a', 2, 0.1, 0.2),
      { ...face('a', 2, 0.1, 0.2), scores: { presence: 0.3 } },
    ];
    expect(agreementTable(faces).split('\n').slice(2)).toEqual([
      '| every face | 3 | 0.957 | 66.7 % | 66.7 % | 66.7 % |',
      '| in surroundings (room ≥ 2) | 2 | 1.000 | 100.0 % | 50.0 % | 50.0 % |',
      '| less room | 1 | – | 0.0 % | 100.0 % | 100.0 % |',
      '| that a device would have scored | 2 | 1.000 | 100.0 % | 50.0 % | 50.0 % |',
      '| `a` | 1 | – | 100.0 % | 0.0 % | 0.0 % |',
      '| `b` | 2 | 1.000 | 50.0 % | 100.0 % | 100.0 % |',
    ]);
  });

  it('covers the held-out part of the split', () => {
    const code = readFileSync(
      new URL('../../../packages/face-models/training/presence/sources.py', import.meta.url),
      'utf8',
    );
    expect(code).toContain('SPLIT = 42\n');
    expect(code).toContain('"held-out" if share < 0.3 else "development" if share < 0.35 else "training"');
    // Value from Python: python3 -c 'from presence.sources import part_of; …'
    expect(['18f', 'aws-samples', 'turing-way', 'fossasia', 'congress/A000014'].map(partOf)).toEqual([
      'training',
      'held-out',
      'held-out',
      'training',
      'training',
    ]);
  });
});
