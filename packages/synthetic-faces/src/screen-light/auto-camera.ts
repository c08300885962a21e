import { clamp } from '../math.ts';
import { Random } from '../random.ts';
import { halveChroma } from '../render/compression.ts';
import { expose, type RenderedImage } from '../render/sensor.ts';
import type { LinearImage } from '../render/shade.ts';
import { film, type Optics } from '../render/webcam.ts';
import type { LitScene } from './flat-scene.ts';

type Triple = readonly [number, number, number];

export interface AutoCameraOptions {
  /** Which camera: how its colours deviate, how fast it adapts. */
  readonly seed: number;
  /** Draws the noise. Default: as {@link seed}. */
  readonly noiseSeed?: number;
  /** `halved`: colour at half the resolution either way, as 4:2:0 video has it. Default `full`. */
  readonly chroma?: 'full' | 'halved';
  /** Mosaic, lens, shutter and compression of such a camera. Default: three values a pixel, blurred and noisy. */
  readonly optics?: Optics;
}

/** What a frame is taken under. */
export interface SceneLight {
  /** Ambient illuminance on the face, lux. */
  readonly ambientLux: number;
  /** Its colour, linear sRGB with a green of 1. */
  readonly ambientColour: Triple;
  /** What the screen gives off, from `displayLight`. */
  readonly screen: Triple;
}

const meanTarget = 0.19;
/** Longest exposure, milliseconds. */
const longestMs = 33;
const centreWeight = 6;
/**
 * Exposure in milliseconds at gain 1 for a reflectance of 1 under one lux to come out at 1: a webcam in a room of 400
 * lux takes 10 ms.
 */
const msAtOneLux = 4000;

/**
 * A camera that sets its exposure and white balance by what it sees, as webcams and phones do: exposure within half a
 * second, white balance slower and not wholly. Frames must come in order of time.
 */
export class AutoCamera {
  readonly #chroma: 'full' | 'halved';
  readonly #optics: Optics | null;
  readonly #mix: readonly [Triple, Triple, Triple];
  readonly #exposureTau: number;
  readonly #balanceTau: number;
  readonly #balanceShare: number;
  #exposure: number | null = null;
  #balance: Triple = [1, 1, 1];
  #lastMs = 0;
  #noiseSeed: number;

  constructor({ seed, noiseSeed = seed, chroma = 'full', optics }: AutoCameraOptions) {
    const random = new Random(seed, 'auto-camera');
    this.#chroma = chroma;
    this.#optics = optics ?? null;
    const leak = (): number => random.range(-0.05, 0.08);
    const row = (k: number): Triple => {
      const [a, b] = [leak(), leak()];
      return k === 0 ? [1 - a - b, a, b] : k === 1 ? [a, 1 - a - b, b] : [a, b, 1 - a - b];
    };
    this.#mix = [row(0), row(1), row(2)];
    this.#exposureTau = random.range(200, 700);
    this.#balanceTau = random.range(800, 3000);
    this.#balanceShare = random.range(0.5, 0.95);
    this.#noiseSeed = noiseSeed * 65_537;
  }

  /** Lets exposure and white balance settle on a scene. */
  settle(scene: LitScene, light: SceneLight): void {
    const { mean } = this.#gather(scene, light, 0);
    this.#exposure = this.#exposureFor(mean);
    this.#balance = this.#balanceFor(mean);
  }

  /** Takes a frame, and adapts for the next one. */
  take(scene: LitScene, light: SceneLight, atMs: number): RenderedImage {
    const { data, mean } = this.#gather(scene, light, atMs);
    this.#exposure ??= this.#exposureFor(mean);
    const image = this.#expose({ width: scene.width, height: scene.height, data }, this.#exposure);
    this.#adapt(mean, atMs);
    return image;
  }

  #expose(image: LinearImage, exposure: number): RenderedImage {
    const { data } = image;
    this.#noiseSeed += 1;
    const noiseSeed = this.#noiseSeed;
    const gain = Math.max(1, (exposure * msAtOneLux) / longestMs);
    if (this.#optics !== null)
      return film(image, { optics: this.#optics, noiseSeed, exposure, gain, balance: this.#balance });
    const [r, g, b] = this.#balance;
    for (let i = 0; i < data.length; i += 3) {
      data[i] = (data[i] as number) * r;
      data[i + 1] = (data[i + 1] as number) * g;
      data[i + 2] = (data[i + 2] as number) * b;
    }
    const taken = expose(image, { noise: Math.sqrt(gain), noiseSeed, exposure, softness: 0.5 });
    if (this.#chroma === 'halved') halveChroma(taken);
    return taken;
  }

  #adapt(mean: Triple, atMs: number): void {
    const passed = Math.max(0, atMs - this.#lastMs);
    this.#lastMs = atMs;
    const towards = (from: number, to: number, tau: number): number =>
      from * (to / from) ** (1 - Math.exp(-passed / tau));
    this.#exposure = towards(this.#exposure ?? 1, this.#exposureFor(mean), this.#exposureTau);
    const wanted = this.#balanceFor(mean);
    const [r, g, b] = this.#balance;
    this.#balance = [
      towards(r, wanted[0], this.#balanceTau),
      towards(g, wanted[1], this.#balanceTau),
      towards(b, wanted[2], this.#balanceTau),
    ];
  }

  #exposureFor(mean: Triple): number {
    return meanTarget / Math.max(1e-3, 0.2126 * mean[0] + 0.7152 * mean[1] + 0.0722 * mean[2]);
  }

  /** Grey world, most of the way. */
  #balanceFor([r, g, b]: Triple): Triple {
    const share = this.#balanceShare;
    return [clamp(g / r, 0.4, 2.5) ** share, 1, clamp(g / b, 0.4, 3) ** share];
  }

  /** How bright a display's light is in each row of the frame: its pulse, averaged over the exposure. */
  #bands({ height, pulse }: LitScene, atMs: number): Float32Array {
    const bands = new Float32Array(height).fill(1);
    if (pulse === undefined || this.#optics === null) return bands;
    const openMs = Math.min(longestMs, (this.#exposure ?? 0) * msAtOneLux);
    const periods = (pulse.hz * openMs) / 1000;
    const left = periods === 0 ? 1 : Math.sin(Math.PI * periods) / (Math.PI * periods);
    const rowMs = this.#optics.readoutMs / height;
    for (let y = 0; y < height; y++)
      bands[y] = 1 + pulse.depth * left * Math.cos((2 * Math.PI * pulse.hz * (atMs + y * rowMs)) / 1000);
    return bands;
  }

  #gather(
    scene: LitScene,
    { ambientLux, ambientColour, screen }: SceneLight,
    atMs: number,
  ): { data: Float32Array; mean: Triple } {
    const { ambient, screen: lit, emitted } = scene;
    const data = new Float32Array(ambient.length);
    const bands = this.#bands(scene, atMs);
    const row = scene.width * 3;
    const [[rr, rg, rb], [gr, gg, gb], [br, bg, bb]] = this.#mix;
    const [roomR, roomG, roomB] = [
      ambientColour[0] * ambientLux,
      ambientColour[1] * ambientLux,
      ambientColour[2] * ambientLux,
    ];
    const [screenR, screenG, screenB] = screen;
    const { width, height } = scene;
    let [sumR, sumG, sumB, sumW] = [0, 0, 0, 0];
    for (let i = 0; i < data.length; i += 3) {
      let r = (ambient[i] as number) * roomR + (lit[i] as number) * screenR;
      let g = (ambient[i + 1] as number) * roomG + (lit[i + 1] as number) * screenG;
      let b = (ambient[i + 2] as number) * roomB + (lit[i + 2] as number) * screenB;
      if (emitted) {
        const band = bands[Math.floor(i / row)] as number;
        r += (emitted[i] as number) * band;
        g += (emitted[i + 1] as number) * band;
        b += (emitted[i + 2] as number) * band;
      }
      const red = Math.max(0, rr * r + rg * g + rb * b);
      const green = Math.max(0, gr * r + gg * g + gb * b);
      const blue = Math.max(0, br * r + bg * g + bb * b);
      data[i] = red;
      data[i + 1] = green;
      data[i + 2] = blue;
      // Metered with weight on the middle half.
      const pixel = i / 3;
      const inside = Math.abs((pixel % width) / width - 0.5) < 0.25 && Math.abs(pixel / width / height - 0.5) < 0.25;
      const weight = inside ? centreWeight : 1;
      sumR += weight * red;
      sumG += weight * green;
      sumB += weight * blue;
      sumW += weight;
    }
    return { data, mean: [sumR / sumW, sumG / sumW, sumB / sumW] };
  }
}
