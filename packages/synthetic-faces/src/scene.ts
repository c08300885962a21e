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

/** How parts are lit over a target, which holds its background. */
export interface Way {
  readonly lighting: Lighting;
  readonly target: LinearImage;
}

/**
 * Draws parts once and lights them in as many ways as there are targets.
 *
 * @param shadows size of the shadow map, and softness of its shadows in units
 * @param level of textures: 0 where a texel is at least about a pixel
 * @throws RangeError when the size is not two whole numbers from 16 to 4096
 */
export function drawParts(
  { width, height }: FrameOptions,
  parts: readonly Part[],
  ways: readonly Way[],
  shadows: readonly [size: number, softness: number],
  level: number,
): void {
  for (const size of [width, height]) {
    if (!Number.isInteger(size) || size < 16 || size > 4096)
      throw new RangeError('width and height: whole numbers from 16 to 4096');
  }
  const camera = cameraOf(width, height);
  const scene = projectScene(parts, camera);
  const buffer = sampleBuffer(width, height, samplesPerSide);
  buffer.draw(scene);
  for (const { lighting, target } of ways) {
    shade({ scene, buffer, lighting, shadow: new ShadowMap(parts, lighting.key, ...shadows), camera, level }, target);
  }
}

const modelOf = ({ seed, spread, wears }: HeadOptions) => headModel(seed, spread, wears);

/** Places heads once and lights them in as many ways as there are targets. */
export function shadeHeads(frame: FrameOptions, heads: readonly HeadOptions[], ways: readonly Way[]): void {
  const { width, height } = frame;
  const camera = cameraOf(width, height);
  const nearest = Math.min(...heads.map(({ distance = 1 }) => reachOf(distance)));
  const level = Math.max(0, Math.log2(texelsPerUnit / (camera.focal / nearest)) - 0.35);
  const parts = heads.flatMap((head) => placeHead(modelOf(head), head, camera, width, height));
  drawParts(frame, parts, ways, [320, 0.55], level);
}

/**
 * Several heads in one frame, nearer ones in front, in the light and through the camera of the first.
 *
 * @throws RangeError when the size is not two whole numbers from 16 to 4096
 */
export function renderScene(options: FrameOptions & { readonly heads: readonly HeadOptions[] }): RenderedImage {
  const target = backgroundToDrawOn(options.width, options.height, options.background);
  const [first] = options.heads;
  if (first) shadeHeads(options, options.heads, [{ lighting: lightingFrom(first.light ?? {}), target }]);
  return photograph(target, options, first);
}

/**
 * One person before a camera.
 *
 * @throws RangeError when the size is not two whole numbers from 16 to 4096
 */
export const renderHead = (options: FrameOptions & HeadOptions): RenderedImage =>
  renderScene({ ...options, heads: [options] });

/** Passes linear light through the frame's camera. */
export const photograph = (
  image: LinearImage,
  { exposure = 1 }: FrameOptions,
  head?: HeadOptions,
  softness = 0.5,
): RenderedImage => expose(image, { noise: head?.noise ?? 1, noiseSeed: head?.noiseSeed ?? 0, exposure, softness });
