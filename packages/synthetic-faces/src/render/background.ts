import { type Colour, srgb } from '../identity/colours.ts';
import { lastFew } from '../last-few.ts';
import { blurLine, clamp, hypot2, lerp, smoothstep } from '../math.ts';
import { fractal2, Random } from '../random.ts';
import type { LinearImage } from './shade.ts';

export interface BackgroundOptions {
  /** Which room; the same seed is the same room. Default 5. */
  readonly seed?: number;
  /** `room` an out-of-focus interior, `gradient` a studio backdrop. Default `room`. */
  readonly kind?: 'room' | 'gradient';
}

const keptPixels = 2_000_000;
const rooms = lastFew<LinearImage>(6);

/** The scene behind the heads, linear light. The result is shared: copy it before drawing on it. */
export function background(width: number, height: number, options: BackgroundOptions = {}): LinearImage {
  const { seed = 5, kind = 'room' } = options;
  // Large pictures are taken once, small ones make clips.
  if (width * height > keptPixels) return paintedRoom(width, height, seed, kind);
  return rooms(`${width}x${height},${seed},${kind}`, () => paintedRoom(width, height, seed, kind));
}

function paintedRoom(width: number, height: number, seed: number, kind: 'room' | 'gradient'): LinearImage {
  const image = { width, height, data: new Float32Array(width * height * 3) };
  const random = new Random(seed, 'background');
  if (kind === 'gradient') paintGradient(image, random);
  else {
    paintWall(image, random);
    paintFurniture(image, random);
    blurImage(image, Math.max(1, Math.round(0.008 * width)));
  }
  const grain = (seed * 7 + 1) | 0;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const texture = 0.55 * (1 + 0.02 * fractal2(x / 40, y / 40, 2, grain));
      for (let k = 0; k < 3; k++) {
        const at = (y * width + x) * 3 + k;
        image.data[at] = (image.data[at] as number) * texture;
      }
    }
  }
  return image;
}

let canvas: LinearImage | null = null;

/**
 * A copy of the background to draw a frame on. Reuses the last one's memory if the size is the same, so photograph a
 * frame before starting the next one.
 */
export function backgroundToDrawOn(width: number, height: number, options?: BackgroundOptions): LinearImage {
  const behind = background(width, height, options);
  if (canvas?.width !== width || canvas.height !== height) {
    const made = { width, height, data: new Float32Array(behind.data.length) };
    // As large ones are not kept above.
    canvas = width * height > keptPixels ? null : made;
    made.data.set(behind.data);
    return made;
  }
  canvas.data.set(behind.data);
  return canvas;
}

const walls: readonly [Colour, ...Colour[]] = [
  srgb(222, 212, 196),
  srgb(228, 222, 208),
  srgb(214, 202, 180),
  srgb(206, 192, 170),
  srgb(220, 210, 200),
  srgb(204, 200, 184),
];

function paintWall({ width, height, data }: LinearImage, random: Random): void {
  const wall = random.pick(walls);
  const [lx, ly] = [random.range(-0.3, 1.3), random.range(-0.2, 0.5)];
  const fall = random.range(0.5, 1.1);
  const corner = random.chance(0.4) ? random.range(0.1, 0.9) : -1;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const u = x / width;
      const v = y / height;
      const distance = hypot2(u - lx, (v - ly) * (height / width));
      let light = lerp(0.85, 0.45, clamp(distance * fall, 0, 1));
      if (corner > 0 && u > corner) light *= 0.82;
      const at = (y * width + x) * 3;
      for (let k = 0; k < 3; k++) data[at + k] = (wall[k] as number) * light;
    }
  }
}

function paintGradient({ width, height, data }: LinearImage, random: Random): void {
  const base = random.pick([srgb(150, 144, 134), srgb(120, 112, 102), srgb(176, 168, 156), srgb(104, 104, 100)]);
  const [cx, cy] = [random.range(0.35, 0.65), random.range(0.25, 0.5)];
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const light = lerp(1.15, 0.4, smoothstep(0, 0.8, hypot2(x / width - cx, y / height - cy)));
      const at = (y * width + x) * 3;
      for (let k = 0; k < 3; k++) data[at + k] = (base[k] as number) * light;
    }
  }
}

function rectangle(
  { width, height, data }: LinearImage,
  left: number,
  top: number,
  right: number,
  bottom: number,
  colour: Colour,
  shadeTo = 1,
): void {
  const [x0, x1] = [Math.max(0, Math.round(left * width)), Math.min(width, Math.round(right * width))];
  const [y0, y1] = [Math.max(0, Math.round(top * height)), Math.min(height, Math.round(bottom * height))];
  for (let y = y0; y < y1; y++) {
    for (let x = x0; x < x1; x++) {
      const tone = lerp(1, shadeTo, (x - x0) / Math.max(1, x1 - x0));
      const at = (y * width + x) * 3;
      for (let k = 0; k < 3; k++) data[at + k] = (colour[k] as number) * tone;
    }
  }
}

function paintFurniture(image: LinearImage, random: Random): void {
  const wood = random.pick([srgb(110, 78, 52), srgb(150, 116, 82), srgb(70, 52, 40), srgb(190, 180, 168)]);
  const dim = (colour: Colour, factor: number): Colour => [colour[0] * factor, colour[1] * factor, colour[2] * factor];
  const side = random.chance(0.5);
  const place = (centre: number): number => (side ? centre : 1 - centre);
  if (random.chance(0.5)) {
    // A window with daylight behind a frame.
    const [c, w, t, b] = [
      place(random.range(0.06, 0.2)),
      random.range(0.12, 0.2),
      random.range(-0.05, 0.1),
      random.range(0.5, 0.75),
    ];
    rectangle(image, c - w - 0.012, t - 0.02, c + w + 0.012, b + 0.02, dim(srgb(230, 228, 224), 0.7));
    rectangle(image, c - w, t, c + w, b, [0.86, 0.93, 1], 0.9);
    rectangle(image, c - w, lerp(t, b, 0.6), c + w, b, dim(srgb(120, 140, 110), 0.9));
    rectangle(image, c - 0.006, t, c + 0.006, b, dim(srgb(230, 228, 224), 0.6));
  } else {
    const [c, w] = [place(random.range(0.05, 0.16)), random.range(0.1, 0.15)];
    rectangle(image, c - w, 0.02, c + w, 1, dim(wood, 0.5), 0.8);
    rectangle(image, c - w + 0.018, 0.05, c + w - 0.018, 1, dim(wood, 0.6), 0.75);
  }
  if (random.chance(0.7)) {
    // Shelves with books.
    const [left, right] = side ? [random.range(0.66, 0.78), 1.02] : [-0.02, random.range(0.22, 0.34)];
    const top = random.range(-0.05, 0.2);
    rectangle(image, left, top, right, 1, dim(wood, 0.32));
    for (let row = 0; row < 5; row++) {
      const [y0, y1] = [top + row * 0.2 + 0.02, top + row * 0.2 + 0.19];
      rectangle(image, left, y1, right, y1 + 0.018, dim(wood, 0.55));
      let x = left + 0.008;
      while (x < right - 0.02) {
        const w = random.range(0.01, 0.028);
        const shade = random.range(0.04, 0.42);
        const colour: Colour = [
          shade * random.range(0.8, 1.3),
          shade * random.range(0.7, 1.05),
          shade * random.range(0.5, 1),
        ];
        if (random.chance(0.85)) rectangle(image, x, y0 + random.range(0.01, 0.06), x + w, y1, dim(colour, 0.7), 0.8);
        x += w + 0.001;
      }
    }
  }
  if (random.chance(0.6)) {
    const [c, t] = [random.range(0.35, 0.65), random.range(-0.05, 0.12)];
    const [w, h] = [random.range(0.06, 0.1), random.range(0.12, 0.2)];
    rectangle(image, c - w, t, c + w, t + h, dim(srgb(40, 36, 32), 0.6));
    rectangle(
      image,
      c - w + 0.01,
      t + 0.015,
      c + w - 0.01,
      t + h - 0.015,
      [random.range(0.2, 0.5), random.range(0.18, 0.45), random.range(0.12, 0.4)],
      0.7,
    );
  }
  if (random.chance(0.5))
    rectangle(
      image,
      0,
      random.range(0.72, 0.85),
      1,
      1,
      dim(random.pick([srgb(112, 104, 96), srgb(120, 100, 84), srgb(84, 78, 70)]), 0.6),
      0.85,
    );
}

/** Two box blurs: close to a Gaussian. In place, edges repeated. */
function blurImage({ width, height, data }: LinearImage, radius: number): void {
  const line = new Float32Array(Math.max(width, height));
  for (let pass = 0; pass < 2; pass++) {
    for (let y = 0; y < height; y++)
      for (let k = 0; k < 3; k++) blurLine(data, line, radius, y * width * 3 + k, 3, width);
    for (let x = 0; x < width; x++)
      for (let k = 0; k < 3; k++) blurLine(data, line, radius, x * 3 + k, width * 3, height);
  }
}
