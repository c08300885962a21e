import { lastFew } from '../last-few.ts';
import { clamp, headRotation } from '../math.ts';
import { background } from '../render/background.ts';
import { panelIlluminance } from '../render/lighting.ts';
import { cameraOf, reachOf } from '../render/place.ts';
import type { RenderedImage } from '../render/sensor.ts';
import type { Optics } from '../render/webcam.ts';
import { renderHead } from '../scene.ts';
import { type Display, displayLight, displays } from '../screen-light/display.ts';
import {
  type LitFrame,
  type LitScene,
  litScene,
  meetsPanel,
  mirroredRay,
  type Pulse,
} from '../screen-light/flat-scene.ts';
import type { HeadOptions } from '../types.ts';
import { readPicture } from './flat.ts';

/** Centimetres: the lit area as it is held, and the face that it shows. */
interface Hold {
  readonly widthCm: number;
  readonly heightCm: number;
  readonly faceCm: number;
}

interface HeldDevice {
  readonly display: Display;
  /** From pixel to pixel, millimetres. */
  readonly pitchMm: number;
  /** `stripe`: red, green, blue side by side. `pentile`: half as many red and blue ones, on the diagonals. */
  readonly subpixels: 'stripe' | 'pentile';
  readonly rimCm: number;
  /** Its light falls by this power of the cosine of the angle of view. */
  readonly falloff: number;
  /** Diffuse reflectance of the glass, and its mirror-like reflection: 0.04 plain, 0.01 well coated. */
  readonly diffuse: number;
  readonly mirror: number;
  readonly pulse: Pulse;
  /** `far`: the room around it in view; `near`: not even its rim, and only that part of it is drawn. */
  readonly far: Hold;
  readonly near: Hold;
}

const tablet: HeldDevice = {
  display: displays[0],
  pitchMm: 0.096,
  subpixels: 'stripe',
  rimCm: 1,
  falloff: 1.3,
  diffuse: 0.015,
  mirror: 0.02,
  pulse: { hz: 60, depth: 0.02 },
  far: { widthCm: 16, heightCm: 22, faceCm: 8 },
  near: { widthCm: 22, heightCm: 16, faceCm: 8 },
};

/** Kinds of devices, with sizes, pixel densities, coatings and refresh of what is sold. No single model's data sheet. */
const devices = {
  phone: {
    display: { ...displays[1], luminance: 600 },
    pitchMm: 0.055,
    subpixels: 'pentile',
    rimCm: 0.25,
    falloff: 0.6,
    diffuse: 0.01,
    mirror: 0.04,
    pulse: { hz: 240, depth: 0.3 },
    far: { widthCm: 7, heightCm: 15, faceCm: 4.4 },
    near: { widthCm: 9.5, heightCm: 7, faceCm: 3.3 },
  },
  tablet,
  monitor: {
    display: { ...displays[3], luminance: 300 },
    pitchMm: 0.277,
    subpixels: 'stripe',
    rimCm: 1.2,
    falloff: 1.6,
    diffuse: 0.03,
    mirror: 0.005,
    pulse: { hz: 60, depth: 0.05 },
    far: { widthCm: 53, heightCm: 30, faceCm: 14 },
    near: { widthCm: 42, heightCm: 30, faceCm: 15 },
  },
  rimless: {
    ...{ ...tablet, display: displays[2], rimCm: 0 },
    far: { widthCm: 22, heightCm: 29, faceCm: 8.8 },
    near: { widthCm: 26, heightCm: 19, faceCm: 9.5 },
  },
} as const satisfies Record<string, HeldDevice>;

/** A screen of 32 inches that shows a small face: the room around it is in view, and no rim. */
const filling: Hold = { widthCm: 70, heightCm: 40, faceCm: 8.4 };

export type DeviceName = keyof typeof devices;
export const deviceNames = Object.keys(devices) as readonly DeviceName[];

export interface DeviceOptions extends LitFrame {
  readonly device: DeviceName;
  readonly hold: 'near' | 'far' | 'filling';
  /** Who is shown, as another camera took them at this moment. */
  readonly head: HeadOptions;
  /** A photo rather than a video: the very same picture at every moment. Default false. */
  readonly still?: boolean;
  /** As of a head: the shown face is as large in the frame as one at this distance. */
  readonly distance: number;
  /** Turned about the vertical axis, its top towards the camera, turned in its plane; degrees. Default 0. */
  readonly turnDeg?: number;
  readonly tiltDeg?: number;
  readonly rollDeg?: number;
  /** Of the camera that films it. */
  readonly optics: Optics;
}

const faceWidth = 15.4;
/** Of its full luminance, as devices set it indoors. */
const brightness = 0.5;
/** Pixels of the played video for each pixel of the frame. */
const videoPixels = 1.2;
/** Room light that mirrors in a glass, to that which falls on a face. */
const roomInGlass = 1.6;

const photos = lastFew<RenderedImage>(1);

function played({ head, still = false, distance, width }: DeviceOptions, hold: Hold): RenderedImage {
  const across = Math.round((videoPixels * width * hold.widthCm) / (3 * distance * hold.faceCm));
  const options = {
    ...head,
    ...(still ? { yawDeg: 0, pitchDeg: 0, rollDeg: 0, expression: {}, noiseSeed: 1 } : {}),
    width: clamp(across, 16, 4096),
    height: clamp(Math.round((across * hold.heightCm) / hold.widthCm), 16, 4096),
    distance: hold.widthCm / (3 * hold.faceCm),
    centreX: 0.5,
    centreY: 0.48,
    light: { azimuthDeg: -20, elevationDeg: 30 },
    background: { seed: head.seed + 55 },
  };
  return still ? photos(JSON.stringify(options), () => renderHead(options)) : renderHead(options);
}

/**
 * A device held before the camera that shows a head: it shines through its grid of pixels, less aside, reflects a
 * little, and mirrors the room and the lit screen.
 *
 * @throws RangeError when the size is not two whole numbers from 16 to 4096
 */
export function heldDevice(options: DeviceOptions): LitScene {
  const device: HeldDevice = devices[options.device];
  const hold = options.hold === 'filling' ? filling : device[options.hold];
  const scene = litScene(options, () => undefined);
  const emitted = new Float32Array(scene.ambient.length);
  paint(scene, emitted, options, device, hold, played(options, hold));
  return { ...scene, emitted, pulse: device.pulse };
}

function paint(
  { width, height, ambient, screen }: LitScene,
  emitted: Float32Array,
  options: DeviceOptions,
  device: HeldDevice,
  hold: Hold,
  picture: RenderedImage,
): void {
  const { turnDeg = 0, tiltDeg = 0, rollDeg = 0, panel } = options;
  const { focal, centreX, centreY } = cameraOf(width, height);
  const reach = reachOf(options.distance);
  // A small face near by looks like a large one far off: centimetres of the device for one of a head.
  const scale = hold.faceCm / faceWidth;
  const [halfX, halfY, rim] = [hold.widthCm / 2 / scale, hold.heightCm / 2 / scale, device.rimCm / scale];
  const from = panel === null ? null : scaledPanel(panel, scale);
  const r = headRotation(turnDeg, -tiltDeg, rollDeg);
  const normal = [r[2], r[5], r[8]] as const;
  const glow = glowOf(device.display);
  const perPixel = (10 * scale * reach) / (focal * device.pitchMm * Math.max(0.2, normal[2]));
  const grid = subpixelGrid(device, options.optics, perPixel);
  const around = background(96, 72, { seed: (options.background?.seed ?? 5) + 31 });
  const colour = new Float32Array(3);
  for (let py = 0; py < height; py++) {
    const dy = (centreY - py - 0.5) / focal;
    for (let px = 0; px < width; px++) {
      const dx = (px + 0.5 - centreX) / focal;
      const slope = dx * normal[0] + dy * normal[1] - normal[2];
      const far = (-reach * normal[2]) / slope;
      if (!(far > 0)) continue;
      const [vx, vy, vz] = [dx * far, dy * far, reach - far];
      const x = vx * r[0] + vy * r[3] + vz * r[6];
      const y = vx * r[1] + vy * r[4] + vz * r[7];
      const [insideX, insideY] = [halfX - Math.abs(x), halfY - Math.abs(y)];
      const all = covered(insideX + rim, insideY + rim, focal / far);
      if (all === 0) continue;
      const glass = rim === 0 ? all : covered(insideX, insideY, focal / far);
      const ray = mirroredRay(vx, vy, -far, normal);
      const lit = from === null ? 0 : panelIlluminance(from, vx, vy, -far);
      const shows = from !== null && meetsPanel(from, vx, vy, -far, ray);
      const at = (py * width + px) * 3;
      const seen = seenAt(ray) * 3;
      if (glass > 0) {
        readPicture(picture, x / (2 * halfX) + 0.5, 0.5 - y / (2 * halfY), colour);
        if (grid !== null) grid(x * scale * 10, y * scale * 10, colour);
      }
      const cosine = -slope / Math.sqrt(dx * dx + dy * dy + 1);
      const shine = Math.PI * brightness * glass * cosine ** device.falloff;
      const [red, green, blue] = [colour[0] as number, colour[1] as number, colour[2] as number];
      for (let k = 0; k < 3; k++) {
        const own = (1 - all) * (ambient[at + k] as number);
        const mirrored = device.mirror * roomInGlass * (around.data[seen + k] as number);
        ambient[at + k] = own + (all - glass) * rimColour + glass * (device.diffuse + mirrored);
        screen[at + k] =
          (1 - all) * (screen[at + k] as number) +
          (all - glass) * rimColour * lit +
          glass * (device.diffuse * lit + (shows ? device.mirror * Math.PI : 0));
        const [r1, g1, b1, leak] = glow[k] as Quadruple;
        emitted[at + k] = shine * (r1 * red + g1 * green + b1 * blue + leak);
      }
    }
  }
}

/** Share of a pixel that lies so far inside two edges. */
const covered = (insideX: number, insideY: number, pixels: number): number =>
  clamp(insideX * pixels + 0.5, 0, 1) * clamp(insideY * pixels + 0.5, 0, 1);

/** Reflectance of a dark rim. */
const rimColour = 0.03;

const scaledPanel = (panel: NonNullable<LitFrame['panel']>, scale: number) => ({
  centre: [panel.centre[0] / scale, panel.centre[1] / scale, panel.centre[2] / scale] as const,
  area: panel.area / (scale * scale),
});

/** Pixel of a picture of 96 × 72 that shows what lies in a direction behind the camera. */
function seenAt([x, y, z]: readonly [number, number, number]): number {
  const u = clamp(0.5 + Math.atan2(x, Math.max(1e-3, z)) / 2.4, 0, 0.999);
  const v = clamp(0.5 - y / 1.2, 0, 0.999);
  return Math.floor(v * 72) * 96 + Math.floor(u * 96);
}

type Quadruple = readonly [red: number, green: number, blue: number, always: number];

/** Light of each linear sRGB channel for full red, green and blue of the video, and what leaks of a black one. */
function glowOf(display: Display): readonly Quadruple[] {
  const light = (red: number, green: number, blue: number) => displayLight(display, { red, green, blue });
  const [black, red, green, blue] = [light(0, 0, 0), light(255, 0, 0), light(0, 255, 0), light(0, 0, 255)];
  return [0, 1, 2].map((k) => {
    const leak = black[k] as number;
    return [(red[k] as number) - leak, (green[k] as number) - leak, (blue[k] as number) - leak, leak] as const;
  });
}

const sinc = (x: number): number => (Math.abs(x) < 1e-6 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x));

/** A wave of a grid: along x and y in periods a pixel, the share of a period that is lit, and of the three channels. */
interface Wave {
  readonly along: readonly [number, number];
  readonly lit: number;
  readonly strengths: readonly [number, number, number];
  readonly phases?: readonly [number, number, number];
}

/** First harmonics. Of PenTile's blue ones, which lie between the red ones, the diagonals are the other way round. */
const waves: Readonly<Record<HeldDevice['subpixels'], readonly Wave[]>> = {
  stripe: [
    { along: [1, 0], lit: 1 / 3, strengths: [1, 1, 1], phases: [0, 1 / 3, 2 / 3] },
    { along: [0, 1], lit: 0.85, strengths: [1, 1, 1] },
  ],
  pentile: [
    { along: [0.5, 0.5], lit: 0.4, strengths: [1, 0, -1] },
    { along: [0.5, -0.5], lit: 0.4, strengths: [1, 0, -1] },
    { along: [1, 0], lit: 0.4, strengths: [0, 1, 0] },
    { along: [0, 1], lit: 0.5, strengths: [0, 1, 0] },
  ],
};

/** Below it a wave is not seen. */
const leastWave = 0.002;

/**
 * What the grid of subpixels does to a colour at a place in millimetres: its waves are taken at points, after lens and
 * photosite have weakened them, so that they beat with the sensor as they do in cameras. Null: nothing is left of it.
 *
 * @param perPixel periods of the grid for each pixel of the frame
 */
function subpixelGrid(
  { pitchMm, subpixels }: HeldDevice,
  { oversampling, blur }: Optics,
  perPixel: number,
): ((xMm: number, yMm: number, colour: Float32Array) => void) | null {
  const seen = waves[subpixels].flatMap(({ along: [x, y], lit, strengths, phases = [0, 0, 0] }) => {
    const [qx, qy] = [(x * perPixel) / oversampling, (y * perPixel) / oversampling];
    const left = sinc(qx) * sinc(qy) * Math.exp(-2 * (Math.PI * blur) ** 2 * (qx * qx + qy * qy));
    const strength = 2 * sinc(lit) * left;
    return Math.abs(strength) < leastWave ? [] : [{ x, y, phases, strengths: strengths.map((one) => one * strength) }];
  });
  if (seen.length === 0) return null;
  return (xMm, yMm, colour) => {
    for (let k = 0; k < 3; k++) {
      let level = 1;
      for (const { x, y, phases, strengths } of seen)
        level +=
          (strengths[k] as number) * Math.cos(2 * Math.PI * ((x * xMm + y * yMm) / pitchMm - (phases[k] as number)));
      colour[k] = (colour[k] as number) * Math.max(0, level);
    }
  };
}
