import type { Colour } from '../identity/colours.ts';
import { blurLine, clamp, radians } from '../math.ts';
import type { Part } from './part.ts';
import { splatDepth } from './rasteriser.ts';

/** One main light, soft light from above and below, and a weak fill from the other side. Directions in view space. */
export interface Lighting {
  /** Unit vector from the scene to the main light. */
  readonly key: readonly [number, number, number];
  readonly keyColour: Colour;
  readonly fill: readonly [number, number, number];
  readonly fillColour: Colour;
  readonly above: Colour;
  readonly below: Colour;
  /** A lit screen instead of a main light from far away. */
  readonly panel?: Panel;
}

/**
 * A screen as a light: it faces along −z, as the camera does, and gives off 1 cd/m² of every channel. View space,
 * canonical units.
 */
export interface Panel {
  readonly centre: readonly [number, number, number];
  readonly area: number;
}

/** The light of a screen alone: lit values are in lux per cd/m² of the screen. */
export function panelLighting(panel: Panel): Lighting {
  const none: Colour = [0, 0, 0];
  const { centre } = panel;
  const towards = direction((Math.atan2(centre[0], 50) * 180) / Math.PI, (Math.atan2(centre[1], 50) * 180) / Math.PI);
  return { key: towards, keyColour: [1, 1, 1], fill: [0, 0, 1], fillColour: none, above: none, below: none, panel };
}

/**
 * Illuminance in lux on a plane at a point that looks at the screen's plane, for each cd/m² of the screen (Lambert's
 * law).
 */
export function panelIlluminance({ centre, area }: Panel, x: number, y: number, z: number): number {
  const [dx, dy, dz] = [centre[0] - x, centre[1] - y, centre[2] - z];
  const squared = dx * dx + dy * dy + dz * dz;
  return dz <= 0 ? 0 : (area * dz * dz) / (squared * squared);
}

/** Diffuse light on a plane that faces the camera, in the units of the lighting. */
export function frontalIlluminance({ key, keyColour, fill, fillColour, above, below }: Lighting): number {
  return Math.max(0, key[2]) * keyColour[1] + Math.max(0, fill[2]) * fillColour[1] + (above[1] + below[1]) / 2;
}

/** Light options; the defaults look like a room. */
export interface LightOptions {
  /** 0 from the camera, positive from the viewer's right; degrees. Default 12. */
  readonly azimuthDeg?: number;
  /** Positive from above; degrees. Default 35. */
  readonly elevationDeg?: number;
  /** Strength of the main light, 1 ordinary. */
  readonly intensity?: number;
  /** Strength of the light from all round, 1 ordinary. */
  readonly ambient?: number;
  /** Colour temperature of the main light in kelvin, 2500..10000. Default 5000 (neutral to this camera). */
  readonly colourTemperature?: number;
}

/** Tanner Helland's fit of a black body's colour, made relative to 5000 K so that 5000 is white. */
function temperatureColour(kelvin: number): Colour {
  const raw = (k: number): [number, number, number] => {
    const t = clamp(k, 1500, 15000) / 100;
    const red = t <= 66 ? 255 : 329.7 * (t - 60) ** -0.1332;
    const green = t <= 66 ? 99.47 * Math.log(t) - 161.1 : 288.1 * (t - 60) ** -0.0755;
    const blue = t >= 66 ? 255 : t <= 19 ? 0 : 138.5 * Math.log(t - 10) - 305;
    return [clamp(red, 1, 255), clamp(green, 1, 255), clamp(blue, 1, 255)];
  };
  const [wr, wg, wb] = raw(5000);
  const [r, g, b] = raw(kelvin);
  const [lr, lg, lb] = [(r / wr) ** 1.6, (g / wg) ** 1.6, (b / wb) ** 1.6];
  const luminance = 0.2126 * lr + 0.7152 * lg + 0.0722 * lb;
  return [lr / luminance, lg / luminance, lb / luminance];
}

const direction = (azimuthDeg: number, elevationDeg: number): readonly [number, number, number] => {
  const [a, e] = [radians(azimuthDeg), radians(elevationDeg)];
  return [Math.sin(a) * Math.cos(e), Math.sin(e), Math.cos(a) * Math.cos(e)];
};

const scaled = (colour: Colour, factor: number): Colour => [colour[0] * factor, colour[1] * factor, colour[2] * factor];

export function lightingFrom(options: LightOptions): Lighting {
  const azimuth = options.azimuthDeg ?? 12;
  const elevation = options.elevationDeg ?? 35;
  const key = temperatureColour(options.colourTemperature ?? 5000);
  const ambient = options.ambient ?? 1;
  const intensity = options.intensity ?? 1;
  return {
    key: direction(azimuth, elevation),
    keyColour: scaled(key, 0.62 * intensity),
    fill: direction(azimuth > 0 ? -55 : 55, 5),
    fillColour: scaled([0.98, 1, 1.03], 0.14 * ambient),
    above: scaled([0.97, 1, 1.05], 0.5 * ambient),
    below: scaled([1.06, 1, 0.92], 0.26 * ambient),
  };
}

type Axis = readonly [number, number, number];

const bias = 0.12;

/**
 * Soft shadows of the main light: a blurred map of the depth and its square along the light, read by Chebyshev's bound.
 * W. Donnelly and A. Lauritzen, “Variance Shadow Maps”, 2006.
 */
export class ShadowMap {
  readonly #size: number;
  readonly #first: Float32Array;
  readonly #second: Float32Array;
  readonly #axes: readonly [Axis, Axis, Axis];
  readonly #origin: readonly [number, number];
  readonly #scale: number;

  constructor(parts: readonly Part[], towards: readonly [number, number, number], size: number, softness: number) {
    this.#size = size;
    const [lx, ly, lz] = towards;
    const across = Math.hypot(lz, lx) || 1;
    const right = [lz / across, 0, -lx / across] as const;
    const up = [ly * right[2] - lz * right[1], lz * right[0] - lx * right[2], lx * right[1] - ly * right[0]] as const;
    this.#axes = [right, up, towards];
    let [minX, minY, maxX, maxY] = [Infinity, Infinity, -Infinity, -Infinity];
    const casters = parts.filter((part) => part.castsShadow);
    const flat = casters.map(({ positions }) => {
      const projected = new Float32Array(positions.length);
      for (let i = 0; i < positions.length; i += 3) {
        const x = positions[i] as number;
        const y = positions[i + 1] as number;
        const z = positions[i + 2] as number;
        const px = x * right[0] + y * right[1] + z * right[2];
        const py = x * up[0] + y * up[1] + z * up[2];
        projected[i] = px;
        projected[i + 1] = py;
        projected[i + 2] = x * lx + y * ly + z * lz;
        if (px < minX) minX = px;
        if (px > maxX) maxX = px;
        if (py < minY) minY = py;
        if (py > maxY) maxY = py;
      }
      return projected;
    });
    const span = Math.max(1, maxX - minX, maxY - minY) * 1.02;
    this.#origin = [minX - span * 0.01, minY - span * 0.01];
    this.#scale = size / span;
    const grid = { origin: this.#origin, scale: this.#scale, shift: 0.5 };
    const depth = new Float32Array(size * size).fill(Number.NaN);
    casters.forEach((part, i) => {
      const projected = flat[i];
      if (projected) splatDepth(depth, size, projected, part.triangles, grid);
    });
    let far = Infinity;
    for (const value of depth) if (value < far) far = value;
    this.#first = new Float32Array(size * size);
    this.#second = new Float32Array(size * size);
    for (let i = 0; i < depth.length; i++) {
      const value = Number.isNaN(depth[i]) ? far - 4 : (depth[i] as number);
      this.#first[i] = value;
      this.#second[i] = value * value;
    }
    const radius = Math.max(1, Math.round(softness * this.#scale));
    for (const moments of [this.#first, this.#second]) {
      boxBlur(moments, size, radius);
      boxBlur(moments, size, radius);
    }
  }

  /** Share of the main light that reaches a point of view space, 0..1. */
  lit(x: number, y: number, z: number): number {
    const right = this.#axes[0];
    const up = this.#axes[1];
    const towards = this.#axes[2];
    const size = this.#size;
    const px = (x * right[0] + y * right[1] + z * right[2] - this.#origin[0]) * this.#scale - 0.5;
    const py = (x * up[0] + y * up[1] + z * up[2] - this.#origin[1]) * this.#scale - 0.5;
    const depth = x * towards[0] + y * towards[1] + z * towards[2] + bias;
    const ix = Math.floor(px);
    const iy = Math.floor(py);
    if (ix < 0 || iy < 0 || ix >= size - 1 || iy >= size - 1) return 1;
    const fx = px - ix;
    const fy = py - iy;
    const at = iy * size + ix;
    const mean = mixFour(this.#first, at, size, fx, fy);
    if (depth >= mean) return 1;
    const variance = Math.max(0.02, mixFour(this.#second, at, size, fx, fy) - mean * mean);
    const gap = mean - depth;
    const bound = variance / (variance + gap * gap);
    return clamp((bound - 0.25) / 0.75, 0, 1);
  }
}

function mixFour(map: Float32Array, at: number, stride: number, fx: number, fy: number): number {
  const top = (map[at] as number) * (1 - fx) + (map[at + 1] as number) * fx;
  const bottom = (map[at + stride] as number) * (1 - fx) + (map[at + stride + 1] as number) * fx;
  return top * (1 - fy) + bottom * fy;
}

/** In-place box blur of a square map, clamped at the edges. */
function boxBlur(map: Float32Array, size: number, radius: number): void {
  const line = new Float32Array(size);
  for (let row = 0; row < size; row++) blurLine(map, line, radius, row * size, 1, size);
  for (let column = 0; column < size; column++) blurLine(map, line, radius, column, size, size);
}
