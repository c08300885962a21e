import { describe, expect, it } from 'vitest';
import { canonicalFace, noseTip, parseCanonicalFace } from './canonical.ts';

describe('canonicalFace', () => {
  it('reads the 468 points and 898 triangles of the dependency', () => {
    const face = canonicalFace();
    expect(face.positions.length).toBe(468 * 3);
    expect(face.uvs.length).toBe(468 * 2);
    expect(face.triangles.length).toBe(898 * 3);
    // The nose tip is the foremost point and lies on the middle plane.
    const depths = Array.from({ length: 468 }, (_, i) => face.positions[i * 3 + 2] ?? 0);
    expect(depths.indexOf(Math.max(...depths))).toBe(noseTip);
    expect(face.positions[noseTip * 3]).toBeCloseTo(0, 5);
    // The person's left eye (263) lies to the viewer's right.
    expect(face.positions[263 * 3]).toBeGreaterThan(3);
  });
});

describe('parseCanonicalFace', () => {
  it.each([
    ['nothing', new Uint8Array(0)],
    ['a truncated length', Uint8Array.of(0x0a, 0x80)],
    ['a field past the end', Uint8Array.of(0x0a, 0x05, 1)],
    ['an unknown wire type', Uint8Array.of(0x0b)],
    ['a mesh without points', Uint8Array.of(0x0a, 0x02, 0x20, 0x01)],
  ])('refuses %s', (_, bytes) => {
    expect(() => parseCanonicalFace(bytes)).toThrow(RangeError);
  });
});
