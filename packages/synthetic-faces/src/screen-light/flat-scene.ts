import { linearFromSrgb } from '../identity/colours.ts';
import { background } from '../render/background.ts';
import {
  frontalIlluminance,
  type LightOptions,
  lightingFrom,
  type Panel,
  panelIlluminance,
  panelLighting,
} from '../render/lighting.ts';
import { cameraOf, reachOf } from '../render/place.ts';
import type { RenderedImage } from '../render/sensor.ts';
import type { LinearImage } from '../render/shade.ts';
import { shadeHeads, type Way } from '../scene.ts';
import type { FrameOptions, HeadOptions } from '../types.ts';
import type { Display } from './display.ts';

/**
 * A scene without its light: light is additive, so any ambient light and any screen colour is a weighted sum of these
 * pictures. Values are lux times reflectance (π times cd/m²).
 */
export interface LitScene {
  readonly width: number;
  readonly height: number;
  /** Under one lux of the room's light on a face that looks at the camera. */
  readonly ambient: Float32Array;
  /** Under the screen at one cd/m² of each channel. */
  readonly screen: Float32Array;
  /** Light emitted by the scene; null if there is none. */
  readonly emitted: Float32Array | null;
  /** How the emitted light pulses; default: steady. */
  readonly pulse?: Pulse;
  /** 1 where the head is, its edge included, 0 beside it. */
  readonly head: Float32Array;
}

/** A display's light over time: its mean times 1 + depth × cos(2π hz t). */
export interface Pulse {
  readonly hz: number;
  /** 0 steady … 1 off once in each period. */
  readonly depth: number;
}

/** From the camera to what is behind the head. */
const wallDistanceCm = 220;

/** The screen below the camera, as of a tablet in a stand: its middle half its height and a rim under the lens. */
export const panelOf = ({ widthCm, heightCm }: Pick<Display, 'widthCm' | 'heightCm'>): Panel => ({
  centre: [0, -heightCm / 2 - 1, 0],
  area: widthCm * heightCm,
});

export interface LitFrame extends FrameOptions {
  readonly light?: LightOptions;
  /** Null: no screen, and `screen` of the scene is dark. */
  readonly panel: Panel | null;
  /** From the camera to what is behind. Default 220. */
  readonly wallCm?: number;
}

/** Draws things over a room once, lit by the room and, apart from that, by the screen. */
export function litScene(options: LitFrame, draw: (ways: readonly Way[]) => void): LitScene {
  const { width, height, panel, wallCm = wallDistanceCm } = options;
  const room = lightingFrom(options.light ?? {});
  const lux = frontalIlluminance(room);
  const behind = background(width, height, options.background);
  const ambient: LinearImage = { width, height, data: behind.data.slice() };
  const screen: LinearImage = { width, height, data: new Float32Array(behind.data.length) };
  const ways: Way[] = [{ lighting: room, target: ambient }];
  if (panel !== null) {
    const onWall = panelIlluminance(panel, 0, 0, -wallCm);
    for (let i = 0; i < behind.data.length; i++) screen.data[i] = (behind.data[i] as number) * onWall;
    ways.push({ lighting: panelLighting(panel), target: screen });
  }
  draw(ways);
  const head = new Float32Array(width * height);
  for (let i = 0; i < head.length; i++) head[i] = ambient.data[i * 3] === behind.data[i * 3] ? 0 : 1;
  for (let i = 0; i < ambient.data.length; i++) ambient.data[i] = (ambient.data[i] as number) / lux;
  return { width, height, ambient: ambient.data, screen: screen.data, emitted: null, head };
}

/** A head before a camera with a lit screen under it. Distance 1 is 44 cm. */
export const renderLitHead = (options: LitFrame & HeadOptions): LitScene =>
  litScene(options, (ways) => shadeHeads(options, [options], ways));

interface FlatScene {
  /** The scene that it is held in, without its head if a frame of an empty room is given. */
  readonly before: LitScene;
  readonly panel: Panel;
  /** As of a head: where the flat thing is held. */
  readonly distance: number;
  /** The part of the frame that it covers. */
  readonly covers: 'all' | 'middle' | Float32Array;
}

export interface HeldScreenOptions extends FlatScene {
  /** The camera frame that it plays, filling the same part of the view. */
  readonly frame: RenderedImage;
  /** White, cd/m². */
  readonly luminance: number;
  /** Of its diffuse reflectance (ink-black LCDs and OLEDs: 0.01 to 0.02). */
  readonly diffuse: number;
  /** Of its mirror-like reflection: 0.04 is plain glass, 0.01 a good coating, 0 matt. */
  readonly mirror: number;
  /** Turned down (positive) or up, so that its mirror shows other things. Degrees. */
  readonly tiltDeg: number;
}

export interface HeldPrintOptions extends FlatScene {
  /** The photo. */
  readonly frame: RenderedImage;
}

/** Linear light of an sRGB byte. */
export const decode = Float32Array.from({ length: 256 }, (_, value) => linearFromSrgb(value));

/** Shares of the frame that `middle` covers. */
const middle = { left: 0.2, right: 0.8, top: 0.06, bottom: 0.94 };

/** Calls `paint` for each pixel of the flat thing with its place in view space on a plane at its distance. */
function eachPixel(
  { before, covers, distance }: FlatScene,
  paint: (pixel: number, x: number, y: number, z: number) => void,
): void {
  const { width, height } = before;
  const { focal, centreX, centreY } = cameraOf(width, height);
  const z = -reachOf(distance);
  for (let py = 0; py < height; py++) {
    for (let px = 0; px < width; px++) {
      const pixel = py * width + px;
      if (covers === 'middle') {
        const [u, v] = [px / width, py / height];
        if (u < middle.left || u > middle.right || v < middle.top || v > middle.bottom) continue;
      } else if (covers !== 'all' && (covers[pixel] as number) < 0.5) continue;
      paint(pixel, ((px + 0.5 - centreX) / focal) * -z, ((centreY - py - 0.5) / focal) * -z, z);
    }
  }
}

const copyOf = ({ width, height, ambient, screen, head }: LitScene) => ({
  width,
  height,
  head,
  ambient: ambient.slice(),
  screen: screen.slice(),
  emitted: new Float32Array(ambient.length),
});

type Triple = readonly [number, number, number];

/** The eye's ray to a place, mirrored there; unit length. */
export function mirroredRay(x: number, y: number, z: number, normal: Triple): Triple {
  const length = Math.hypot(x, y, z);
  const along = (x * normal[0] + y * normal[1] + z * normal[2]) / length;
  return [x / length - 2 * along * normal[0], y / length - 2 * along * normal[1], z / length - 2 * along * normal[2]];
}

/** Whether a ray from a place meets the lit screen, as high as wide seen from here, in the camera's plane. */
export function meetsPanel({ centre, area }: Panel, x: number, y: number, z: number, [rx, ry, rz]: Triple): boolean {
  const half = Math.sqrt(area) / 2;
  const back = rz > 0 ? -z / rz : 0;
  return back > 0 && Math.abs(x + back * rx - centre[0]) < half && Math.abs(y + back * ry - centre[1]) < half;
}

/**
 * A screen held before the camera that plays a frame: it shines, reflects a little, and mirrors the lit screen where
 * the angle is right.
 */
export function heldScreen(options: HeldScreenOptions): LitScene {
  const { frame, luminance, diffuse, mirror, tiltDeg, panel } = options;
  const out = copyOf(options.before);
  const tilt = (tiltDeg * Math.PI) / 180;
  const normal = [0, -Math.sin(tilt), Math.cos(tilt)] as const;
  eachPixel(options, (pixel, x, y, z) => {
    const lit = panelIlluminance(panel, x, y, z);
    const shows = meetsPanel(panel, x, y, z, mirroredRay(x, y, z, normal));
    for (let k = 0; k < 3; k++) {
      const at = pixel * 3 + k;
      out.ambient[at] = diffuse + mirror * 0.5;
      out.screen[at] = diffuse * lit + (shows ? mirror * Math.PI : 0);
      out.emitted[at] = Math.PI * luminance * (decode[frame.data[pixel * 4 + k] as number] as number);
    }
  });
  return out;
}

/** A photo on matt paper: every part of it, face and what is around the face, takes the lit screen's light alike. */
export function heldPrint(options: HeldPrintOptions): LitScene {
  const { frame, panel } = options;
  const out = copyOf(options.before);
  eachPixel(options, (pixel, x, y, z) => {
    const lit = panelIlluminance(panel, x, y, z);
    for (let k = 0; k < 3; k++) {
      const at = pixel * 3 + k;
      const ink = 0.035 + 0.76 * (decode[frame.data[pixel * 4 + k] as number] as number);
      out.ambient[at] = ink;
      out.screen[at] = ink * lit;
    }
  });
  return out;
}
