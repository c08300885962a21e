import { readPicture } from '../attacks/flat.ts';
import { lastFew } from '../last-few.ts';
import { clamp, headRotation } from '../math.ts';
import { background } from '../render/background.ts';
import { panelIlluminance } from '../render/lighting.ts';
import { cameraOf, reachOf } from '../render/place.ts';
import type { RenderedImage } from '../render/sensor.ts';
import type { Optics } from '../render/webcam.ts';
import { renderHead } from '../scene.ts';
import type { HeadOptions } from '../types.ts';
import { type Display, displayLight, displays } from './display.ts';
import { type LitFrame, type LitScene, litScene, type Pulse } from './flat-scene.ts';

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
  /** `far`: the room around it in view; `near`: not even its rim. */
  readonly far: Hold;
  readonly near: Hold;
}

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
    near: { widthCm: 15, heightCm: 7, faceCm: 3.3 },
  },
  tablet: {
    display: displays[0],
    pitchMm: 0.096,
    subpixels: 'stripe',
    rimCm: 1,
    falloff: 1.3,
    diffuse: 0.015,
    mirror: 0.02,
    pulse: { hz: 60, depth: 0.02 },
    far: { widthCm: 16, heightCm: 22, faceCm: 8 },
    near: { widthCm: 22, heightCm: 16, faceCm: 7.4 },
  },
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
    near: { widthCm: 53, heightCm: 30, faceCm: 14 },
  },
  rimless: {
    display: displays[2],
    pitchMm: 0.096,
    subpixels: 'stripe',
    rimCm: 0,
    falloff: 1.3,
    diffuse: 0.012,
    mirror: 0.01,
    pulse: { hz: 120, depth: 0.02 },
    far: { widthCm: 22, heightCm: 29, faceCm: 8.8 },
    near: { widthCm: 29, heightCm: 22, faceCm: 9 },
  },
} as const satisfies Record<string, HeldDevice>;

export type DeviceName = keyof typeof devices;
export const deviceNames = Object.keys(devices) as readonly DeviceName[];

export interface DeviceOptions extends LitFrame {
  readonly device: DeviceName;
  readonly hold: 'near' | 'far';
  /** Who is shown, as another camera took them at this moment. */
  readonly head: HeadOptions;
  /** A photo rather than a video: the very same picture at every moment. Default false. */
  readonly still?: boolean;
  /** As of a head: the shown face is as large in the frame as one at this distance. */
  readonly distance: number;
  /** Of its full luminance, 0 … 1; default 0.5, as devices set it indoors. */
  readonly brightness?: number;
  /** Turned about the vertical axis, its top towards the camera, turned in its plane; degrees. Default 0. */
  readonly turnDeg?: number;
  readonly tiltDeg?: number;
  readonly rollDeg?: number;
  /** Of the camera that films it. */
  readonly optics: Optics;
}

const faceWidth = 15.4;
/** Pixels of the played video for each pixel of the frame. */
const videoPixels = 1.3;
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
  const hold = device[options.hold];
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
  const { turnDeg = 0, tiltDeg = 0, rollDeg = 0, brightness = 0.5, panel } = options;
  const { focal, centreX, centreY } = cameraOf(width, height);
  const reach = reachOf(options.distance);
  // A small face near by looks like a large one far off: centimetres of the device for one of a head.
  const scale = hold.faceCm / faceWidth;
  const [halfX, halfY, rim] = [hold.widthCm / 2 / scale, hold.heightCm / 2 / scale, device.rimCm / scale];
  const from = panel === null ? null : scaledPanel(panel, scale);
  const half = from === null ? 0 : Math.sqrt(from.area) / 2;
  const r = headRotation(turnDeg, -tiltDeg, rollDeg);
  const [nx, ny, nz] = [r[2], r[5], r[8]];
  const glow = glowOf(device.display);
  const grid = subpixelGrid(device, options.optics, (reach / focal) * scale, 1 / Math.max(0.2, nz));
  const around = background(96, 72, { seed: (options.background?.seed ?? 5) + 31 });
  const colour = new Float32Array(3);
  for (let py = 0; py < height; py++) {
    const dy = (centreY - py - 0.5) / focal;
    for (let px = 0; px < width; px++) {
      const dx = (px + 0.5 - centreX) / focal;
      const slope = dx * nx + dy * ny - nz;
      const far = (-reach * nz) / slope;
      if (!(far > 0)) continue;
      const [vx, vy, vz] = [dx * far, dy * far, reach - far];
      const x = vx * r[0] + vy * r[3] + vz * r[6];
      const y = vx * r[1] + vy * r[4] + vz * r[7];
      const pixels = focal / far;
      const covered = (edge: number): number =>
        clamp((halfX + edge - Math.abs(x)) * pixels + 0.5, 0, 1) *
        clamp((halfY + edge - Math.abs(y)) * pixels + 0.5, 0, 1);
      const all = covered(rim);
      if (all === 0) continue;
      const glass = rim === 0 ? all : covered(0);
      const length = Math.sqrt(dx * dx + dy * dy + 1);
      const cosine = -slope / length;
      // Where the eye's ray goes on from the glass.
      const [mx, my, mz] = [
        dx / length + 2 * cosine * nx,
        dy / length + 2 * cosine * ny,
        -1 / length + 2 * cosine * nz,
      ];
      const lit = from === null ? 0 : panelIlluminance(from, vx, vy, -far);
      const back = mz > 0 ? far / mz : 0;
      const shows =
        from !== null &&
        back > 0 &&
        Math.abs(vx + back * mx - from.centre[0]) < half &&
        Math.abs(vy + back * my - from.centre[1]) < half;
      const at = (py * width + px) * 3;
      const seen = seenAt(mx, my, mz) * 3;
      if (glass > 0) {
        readPicture(picture, x / (2 * halfX) + 0.5, 0.5 - y / (2 * halfY), colour);
        if (grid !== null) grid(x * scale * 10, y * scale * 10, colour);
      }
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

/** Reflectance of a dark rim. */
const rimColour = 0.03;

const scaledPanel = (panel: NonNullable<LitFrame['panel']>, scale: number) => ({
  centre: [panel.centre[0] / scale, panel.centre[1] / scale, panel.centre[2] / scale] as const,
  area: panel.area / (scale * scale),
});

/** Pixel of a picture of 96 × 72 that shows what lies in a direction behind the camera. */
function seenAt(x: number, y: number, z: number): number {
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

/** First harmonics of a subpixel that takes this share of its period. */
const harmonic = (share: number): number => 2 * sinc(share);

/**
 * What the grid of subpixels does to a colour at a place in millimetres: its waves are taken at points, after lens and
 * photosite have weakened them, so that they beat with the sensor as they do in cameras. Null: nothing is left of it.
 *
 * @param cm of the device for each pixel of the frame, facing it
 * @param slant by how much the waves get closer as it is turned away
 */
function subpixelGrid(
  { pitchMm, subpixels }: HeldDevice,
  { oversampling, blur }: Optics,
  cm: number,
  slant: number,
): ((xMm: number, yMm: number, colour: Float32Array) => void) | null {
  const perPixel = ((cm * 10) / pitchMm) * slant;
  const left = (qx: number, qy: number): number => {
    const [nx, ny] = [qx / oversampling, qy / oversampling];
    return sinc(nx) * sinc(ny) * Math.exp(-2 * Math.PI * Math.PI * blur * blur * (nx * nx + ny * ny));
  };
  const turn = (2 * Math.PI) / pitchMm;
  const [across, down] = [left(perPixel, 0), left(0, perPixel)];
  if (subpixels === 'stripe') {
    const [stripe, row] = [harmonic(1 / 3) * across, harmonic(0.85) * down];
    if (Math.max(Math.abs(stripe), Math.abs(row)) < leastWave) return null;
    return (xMm, yMm, colour) => {
      const rows = row * Math.cos(yMm * turn);
      for (let k = 0; k < 3; k++) {
        const wave = 1 + stripe * Math.cos(xMm * turn - (k * 2 * Math.PI) / 3) + rows;
        colour[k] = (colour[k] as number) * Math.max(0, wave);
      }
    };
  }
  const diagonal = harmonic(0.4) * left(perPixel / 2, perPixel / 2);
  const [column, row] = [harmonic(0.4) * across, harmonic(0.5) * down];
  if (Math.max(Math.abs(diagonal), Math.abs(column), Math.abs(row)) < leastWave) return null;
  return (xMm, yMm, colour) => {
    const [one, other] = [((xMm + yMm) * turn) / 2, ((xMm - yMm) * turn) / 2];
    const sparse = diagonal * (Math.cos(one) + Math.cos(other));
    colour[0] = (colour[0] as number) * Math.max(0, 1 + sparse);
    colour[1] = (colour[1] as number) * Math.max(0, 1 + column * Math.cos(xMm * turn) + row * Math.cos(yMm * turn));
    // Blue ones lie between the red ones.
    colour[2] = (colour[2] as number) * Math.max(0, 1 - sparse);
  };
}

const leastWave = 0.002;
