import type { PixelImage } from '@svc/core';
import type { Box, FaceAnalysis } from '@svc/face-engine';
import type { LinearColour } from './colours.ts';
import { meanColour } from './mean-colour.ts';
import type { LightPolicy } from './policy.ts';
import type { LightSample } from './sample.ts';

/** Mesh points in the middle of the regions, in their order, and how wide and tall each is as a share of the face's width. */
const patches = [
  { point: 151, width: 0.3, height: 0.1 },
  { point: 205, width: 0.13, height: 0.13 },
  { point: 425, width: 0.13, height: 0.13 },
  { point: 5, width: 0.1, height: 0.14 },
  { point: 199, width: 0.16, height: 0.08 },
] as const;

/** Beside the head, past ears and hair, at the height of the upper face: above shoulders. Shares of the face's width and height. */
const beside = { from: 0.4, to: 0.9, least: 0.12, above: 0.1, below: 0.5 } as const;

/** Mean colours of one frame. Keeps neither picture nor landmarks. */
export function measureLight(image: PixelImage, face: FaceAnalysis, atMs: number, policy: LightPolicy): LightSample {
  let clipped = 0;
  const regions = patches.map(({ point, width, height }) => {
    const w = face.box.width * width;
    const h = face.box.width * height;
    const x = (face.landmarks[point * 3] ?? 0) - w / 2;
    const y = (face.landmarks[point * 3 + 1] ?? 0) - h / 2;
    if (x < 0 || y < 0 || x + w > image.width || y + h > image.height) return null;
    const mean = meanColour(image, { x, y, width: w, height: h });
    clipped += mean.clipped / patches.length;
    return mean.clipped > policy.maxClippedShare ? null : mean.linear;
  });
  return {
    atMs,
    regions,
    background: backgroundOf(image, face.box, policy),
    clipped,
    frontal: Math.abs(face.pose.yawDeg) <= policy.frontalYawDeg,
  };
}

function backgroundOf(image: PixelImage, { x, y, width, height }: Box, policy: LightPolicy): LinearColour | null {
  const top = Math.max(0, y - beside.above * height);
  const bottom = Math.min(image.height, y + beside.below * height);
  const sides = [
    [Math.max(0, x - beside.to * width), x - beside.from * width],
    [x + (1 + beside.from) * width, Math.min(image.width, x + (1 + beside.to) * width)],
  ] as const;
  const seen: LinearColour[] = [];
  for (const [left, right] of sides) {
    if (right - left < beside.least * width || bottom - top < beside.least * height) continue;
    const mean = meanColour(image, { x: left, y: top, width: right - left, height: bottom - top });
    if (mean.clipped <= policy.maxClippedShare) seen.push(mean.linear);
  }
  const share = 1 / seen.length;
  if (seen.length === 0) return null;
  return seen.reduce<LinearColour>(
    (sum, c) => [sum[0] + c[0] * share, sum[1] + c[1] * share, sum[2] + c[2] * share],
    [0, 0, 0],
  );
}
