import type { FaceAnalysis } from '@svc/face-engine';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { adviceOf } from './advice.ts';
import { type Oval, ovalFor } from './place.ts';

const picture = { width: 640, height: 480 };
const faceAt = (x: number, y: number, width: number) => ({
  x: x - width / 2,
  y: y - (width * 0.6 * 640) / 480,
  width,
  height: (width * 1.2 * 640) / 480,
});

describe('the oval', () => {
  it('is in the middle without a face', () => {
    const { cx, cy } = ovalFor(null, picture);
    expect(cx).toBe(320);
    expect(cy).toBeGreaterThan(190);
    expect(cy).toBeLessThan(240);
  });

  it('follows a face, and contains it', () => {
    const face = faceAt(0.44, 0.5, 0.3);
    const { cx, cy, rx, ry } = ovalFor(face, picture);
    expect(cx).toBeCloseTo(0.44 * 640, 5);
    expect(rx * 2).toBeGreaterThan(face.width * 640);
    expect(cy - ry).toBeLessThan(face.y * 480);
    expect(cy + ry).toBeGreaterThan((face.y + face.height) * 480);
  });

  it('asks a small face to come closer and a large one to step back by its own size', () => {
    expect(ovalFor(faceAt(0.5, 0.5, 0.12), picture).rx * 2).toBeGreaterThan(0.12 * 640 * 1.5);
    expect(ovalFor(faceAt(0.5, 0.5, 0.7), picture).rx * 2).toBeLessThan(0.7 * 640);
  });

  it('stays where a face is good, and in the picture', () => {
    fc.assert(
      fc.property(
        fc.record({ x: fc.double(wide), y: fc.double(wide), width: fc.double(wide), height: fc.double(wide) }),
        fc.constantFrom(
          picture,
          { width: 480, height: 640 },
          { width: 1280, height: 720 },
          { width: 300, height: 300 },
        ),
        (face, size) => {
          const { cx, cy, rx, ry } = ovalFor(face, size);
          expect(cx - rx).toBeGreaterThanOrEqual(-1e-6);
          expect(cx + rx).toBeLessThanOrEqual(size.width + 1e-6);
          expect(cy - ry).toBeGreaterThanOrEqual(-1e-6);
          expect(cy + ry).toBeLessThanOrEqual(size.height + 1e-6);
          expect(adviceOf(sightIn({ cx, cy, rx }, size)).hint).toBeNull();
        },
      ),
    );
  });
});

const wide = { min: -0.5, max: 1.5, noNaN: true } as const;

/** A frame with a face that fills the oval. */
function sightIn({ cx, cy, rx }: Pick<Oval, 'cx' | 'cy' | 'rx'>, size: typeof picture) {
  const width = rx / 0.68;
  const face: Pick<FaceAnalysis, 'box' | 'pose' | 'quality'> = {
    box: { x: cx - width / 2, y: cy + width * 0.09 - width * 0.6, width, height: width * 1.2 },
    pose: { yawDeg: 0, pitchDeg: 5, rollDeg: 0 },
    quality: {
      faceWidthPx: width,
      interEyePx: width * 0.45,
      brightness: 0.5,
      contrast: 0.15,
      overexposed: 0,
      sharpness: 0.5,
      coverage: 1,
    },
  };
  return { ...size, light: 0.4, faces: [face] };
}
