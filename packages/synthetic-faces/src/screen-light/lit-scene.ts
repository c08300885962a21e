import { background } from '../render/background.ts';
import { frontalIlluminance, lightingFrom, type Panel, panelIlluminance, panelLighting } from '../render/lighting.ts';
import type { LinearImage } from '../render/shade.ts';
import { shadeHeads } from '../scene.ts';
import type { FrameOptions, HeadOptions } from '../types.ts';
import type { Display } from './display.ts';

/**
 * A scene whose light is still open: light adds up, so any ambient light and any colour of the screen are sums of these pictures. Values are
 * lux times reflectance (π times cd/m²).
 */
export interface LitScene {
  readonly width: number;
  readonly height: number;
  /** Under one lux of the room's light on a face that looks at the camera. */
  readonly ambient: Float32Array;
  /** Under the screen at one cd/m² of each channel. */
  readonly screen: Float32Array;
  /** What shines by itself; null where nothing does. */
  readonly emitted: Float32Array | null;
  /** 1 where the head is, its edge included, 0 beside it. */
  readonly head: Float32Array;
}

/** From the camera to what is behind the head. */
const wallDistanceCm = 220;

/** The screen below the camera, as of a tablet in a stand: its middle half its height and a rim under the lens. */
export const panelOf = ({ widthCm, heightCm }: Pick<Display, 'widthCm' | 'heightCm'>): Panel => ({
  centre: [0, -heightCm / 2 - 1, 0],
  area: widthCm * heightCm,
});

/** A head before a camera with a lit screen under it. Distance 1 is 44 cm. */
export function renderLitHead(
  options: FrameOptions & HeadOptions & { readonly panel: Panel; readonly wallCm?: number },
): LitScene {
  const { width, height, panel, wallCm = wallDistanceCm } = options;
  const room = lightingFrom(options.light ?? {});
  const lux = frontalIlluminance(room);
  const behind = background(width, height, options.background);
  const ambient: LinearImage = { width, height, data: behind.data.slice() };
  const screen: LinearImage = { width, height, data: new Float32Array(behind.data.length) };
  const onWall = panelIlluminance(panel, 0, 0, -wallCm);
  for (let i = 0; i < behind.data.length; i++) screen.data[i] = (behind.data[i] as number) * onWall;
  shadeHeads(
    options,
    [options],
    [
      { lighting: room, target: ambient },
      { lighting: panelLighting(panel), target: screen },
    ],
  );
  const head = new Float32Array(width * height);
  for (let i = 0; i < head.length; i++) head[i] = ambient.data[i * 3] === behind.data[i * 3] ? 0 : 1;
  for (let i = 0; i < ambient.data.length; i++) ambient.data[i] = (ambient.data[i] as number) / lux;
  return { width, height, ambient: ambient.data, screen: screen.data, emitted: null, head };
}
