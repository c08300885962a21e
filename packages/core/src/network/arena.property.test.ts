import fc from 'fast-check';
import { expect, it } from 'vitest';
import { placeBlocks } from './arena.ts';

const lifetime = fc
  .record({ bytes: fc.nat(5000), from: fc.integer({ min: -1, max: 12 }), length: fc.nat(6) })
  .map(({ bytes, from, length }) => ({ bytes, from, to: from + length }));

it('places blocks so that two which live at the same time never overlap, and all lie inside', () => {
  fc.assert(
    fc.property(fc.array(lifetime, { maxLength: 30 }), (blocks) => {
      const { offsets, bytes } = placeBlocks(blocks);
      blocks.forEach((a, i) => {
        const [start, end] = [offsets[i] ?? Number.NaN, (offsets[i] ?? Number.NaN) + a.bytes];
        expect(start % 16).toBe(0);
        expect(end).toBeLessThanOrEqual(bytes);
        blocks.slice(0, i).forEach((b, j) => {
          const other = offsets[j] ?? Number.NaN;
          const together = a.from <= b.to && b.from <= a.to && a.bytes > 0 && b.bytes > 0;
          if (together) expect(end <= other || other + b.bytes <= start).toBe(true);
        });
      });
    }),
  );
});

it('reuses what is no longer needed', () => {
  const chain = Array.from({ length: 10 }, (_, i) => ({ bytes: 1600, from: i, to: i + 1 }));
  expect(placeBlocks(chain).bytes).toBe(3200);
});
