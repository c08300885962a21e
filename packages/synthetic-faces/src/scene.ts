import { headModel } from './head-model.ts';
import { skinTextureSize } from './identity/skin-layout.ts';
import { backgroundToDrawOn } from './render/background.ts';
import { type Lighting, lightingFrom, ShadowMap } from './render/lighting.ts';
import type { Part } from './render/part.ts';
import { cameraOf, placeHead, reachOf } from './render/place.ts';
import { projectScene, sampleBuffer } from './render/rasteriser.ts';
import { expose, type RenderedImage } from './render/sensor.ts';
import { type LinearImage, shade } from './render/shade.ts';
import type { FrameOptions, HeadOptions } from './types.ts';

const samplesPerSide = 2;
const texelsPerUnit = skinTextureSize * 0.046;

/**
 * Draws heads over a background in linear light, before the camera. Heads share the light of the first one.
 */
function renderLinear(frame: FrameOptions, heads: readonly HeadOptions[]): LinearImage {
  const { width, height } = checkedSize(frame);
  const target = backgroundToDrawOn(width, height, frame.background);
  const [first] = heads;
  if (first) shadeHeads(frame, heads, [{ lighting: lightingFrom(first.light ?? {}), target }]);
  return target;
}

/** Places heads once and lights them in as many ways as there are targets; each target holds its background. */
export function shadeHeads(
  frame: FrameOptions,
  heads: readonly HeadOptions[],
  ways: readonly { readonly lighting: Lighting; readonly target: LinearImage }[],
): void {
  const { width, height } = checkedSize(frame);
  const camera = cameraOf(width, height);
  const parts: Part[] = [];
  let nearest = Infinity;
  for (const head of heads) {
    parts.push(...placeHead(headModel(head.seed, head.spread), head, camera, width, height));
    nearest = Math.min(nearest, reachOf(head.distance ?? 1));
  }
  const scene = projectScene(parts, camera);
  const buffer = sampleBuffer(width, height, samplesPerSide);
  buffer.draw(scene);
  const pixelsPerUnit = camera.focal / nearest;
  const level = Math.max(0, Math.log2(texelsPerUnit / pixelsPerUnit) - 0.35);
  for (const { lighting, target } of ways) {
    const shadow = new ShadowMap(parts, lighting.key, 320, 0.55);
    shade(
      { scene, buffer, lighting, shadow, focal: camera.focal, centreX: camera.centreX, centreY: camera.centreY, level },
      target,
    );
  }
}

function checkedSize({ width, height }: FrameOptions): { width: number; height: number } {
  for (const size of [width, height]) {
    if (!Number.isInteger(size) || size < 16 || size > 4096)
      throw new RangeError('width and height: whole numbers from 16 to 4096');
  }
  return { width, height };
}

/**
 * Several heads in one frame, nearer ones in front, in the light and through the camera of the first.
 *
 * @throws RangeError when the size is not two whole numbers from 16 to 4096
 */
export function renderScene(options: FrameOptions & { readonly heads: readonly HeadOptions[] }): RenderedImage {
  return photograph(renderLinear(options, options.heads), options, options.heads[0]);
}

/**
 * One person before a camera.
 *
 * @throws RangeError when the size is not two whole numbers from 16 to 4096
 */
export function renderHead(options: FrameOptions & HeadOptions): RenderedImage {
  return photograph(renderLinear(options, [options]), options, options);
}

/** Passes linear light through the frame's camera. */
export function photograph(
  image: LinearImage,
  frame: FrameOptions,
  head: Partial<HeadOptions> | undefined,
): RenderedImage {
  return expose(image, {
    noise: head?.noise ?? 1,
    noiseSeed: head?.noiseSeed ?? 0,
    exposure: frame.exposure ?? 1,
    sharpening: frame.sharpening ?? 0.4,
    softness: frame.softness ?? 0.5,
  });
}
