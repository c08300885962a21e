import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { agreementTable, correlationOf } from './agreement.ts';
import { type HeldOutFace, partOf } from './held-out-faces.ts';

const pairs = (...of: [number, number][]) => of.map(([own, theirs]) => ({ own, theirs }));

describe('the agreement with the teacher', () => {
  it('is Pearson’s correlation', () => {
    expect(correlationOf(pairs([0.1, 0.2], [0.3, 0.4], [0.8, 0.9]))).toBeCloseTo(1, 12);
    expect(correlationOf(pairs([0.1, 0.9], [0.9, 0.1]))).toBeCloseTo(-1, 12);
    expect(correlationOf(pairs([0, 1], [1, 3], [2, 2]))).toBeCloseTo(0.5, 12);
    expect(correlationOf(pairs([0.5, 0.1], [0.5, 0.9]))).toBeNaN();
  });

  it('is told of all faces, by room and by source', () => {
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

  it('is asked of the part that the training holds out', () => {
    const code = readFileSync(
      new URL('../../../packages/face-models/training/presence/sources.py', import.meta.url),
      'utf8',
    );
    expect(code).toContain('SPLIT = 42\n');
    expect(code).toContain('"held-out" if share < 0.3 else "development" if share < 0.35 else "training"');
    // As Python says: python3 -c 'from presence.sources import part_of; …'
    expect(['18f', 'aws-samples', 'turing-way', 'fossasia', 'congress/A000014'].map(partOf)).toEqual([
      'training',
      'held-out',
      'held-out',
      'training',
      'training',
    ]);
  });
});
