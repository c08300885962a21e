import { bell, clamp, hypot2, lerp } from '../math.ts';
import { Random } from '../random.ts';
import { type Colour, srgb } from './colours.ts';
import type { SkinCanvas } from './skin-texture.ts';
import type { Traits } from './traits.ts';

type Stroke = readonly (readonly [number, number])[];

/** Freckles, moles, scars and the lines that age draws. */
export function paintMarks(canvas: SkinCanvas, traits: Traits): void {
  const random = new Random(traits.seed, 'marks');
  paintPatches(canvas, traits);
  paintFreckles(canvas, traits, random);
  paintMoles(canvas, traits, random);
  for (const { line, width, depth } of wrinklesOf(traits, random)) groove(canvas, line, width, depth);
  for (let i = 0; i < traits.skin.scars; i++) {
    const [x, y, angle, length] = [
      random.range(-5, 5),
      random.range(-7, 6),
      random.range(0, Math.PI),
      random.range(0.6, 1.8),
    ];
    const line: Stroke = [
      [x, y],
      [x + Math.cos(angle) * length, y + Math.sin(angle) * length],
    ];
    stain(canvas, line, 0.09, [1.18, 1.1, 1.1], 0.7);
  }
}

function paintPatches(canvas: SkinCanvas, traits: Traits): void {
  for (const { x, y, sigma, stretch, gain, sharp } of traits.skin.patches) {
    canvas.layout.near(x, y, sigma * 2.6 * Math.max(1, stretch), (texel, dx, dy) => {
      const squared = (dx / sigma) ** 2 + (dy / (sigma * stretch)) ** 2;
      const weight = bell(sharp ? squared ** 4 : squared);
      for (let k = 0; k < 3; k++) {
        const at = texel * 3 + k;
        canvas.colour[at] = clamp((canvas.colour[at] as number) * lerp(1, gain[k] as number, weight), 0.003, 0.95);
      }
    });
  }
}

function darken(canvas: SkinCanvas, texel: number, colour: Colour, amount: number): void {
  for (let k = 0; k < 3; k++) {
    canvas.colour[texel * 3 + k] = lerp(canvas.colour[texel * 3 + k] as number, colour[k] as number, amount);
  }
}

function paintFreckles(canvas: SkinCanvas, traits: Traits, random: Random): void {
  const { freckles, albedo } = traits.skin;
  const tan: Colour = [albedo[0] * 0.55, albedo[1] * 0.4, albedo[2] * 0.32];
  const count = Math.round(freckles * 420);
  for (let i = 0; i < count; i++) {
    const [x, y] = [2.7 * random.normal(), 0.6 + 2.4 * random.normal()];
    const [radius, strength] = [random.range(0.05, 0.16), random.range(0.2, 0.75) * freckles];
    canvas.layout.near(x, y, radius * 2.4, (texel, dx, dy) => {
      darken(canvas, texel, tan, strength * bell((dx * dx + dy * dy) / radius ** 2));
    });
  }
  // Spots of age.
  const spots = Math.round(Math.max(0, traits.ageYears - 50) * 0.5 * traits.skin.blotches);
  for (let i = 0; i < spots; i++) {
    const [x, y, radius] = [random.range(-7, 7), random.range(-6, 8), random.range(0.12, 0.4)];
    canvas.layout.near(x, y, radius * 2, (texel, dx, dy) => {
      darken(canvas, texel, tan, 0.45 * bell(((dx * dx + dy * dy) / radius ** 2) ** 2));
    });
  }
}

function paintMoles(canvas: SkinCanvas, traits: Traits, random: Random): void {
  const brown = srgb(62, 36, 28);
  for (let i = 0; i < traits.skin.moles; i++) {
    const [x, y, radius] = [random.range(-6, 6), random.range(-8, 6), random.range(0.06, 0.2)];
    const strength = random.range(0.35, 0.75);
    canvas.layout.near(x, y, radius * 2.2, (texel, dx, dy) => {
      const weight = bell(((dx * dx + dy * dy) / radius ** 2) ** 2 * 0.8);
      darken(canvas, texel, brown, strength * weight);
      canvas.height[texel] = (canvas.height[texel] as number) + 0.06 * weight;
    });
  }
}

interface Wrinkle {
  readonly line: Stroke;
  readonly width: number;
  readonly depth: number;
}

function curve(
  from: readonly [number, number],
  to: readonly [number, number],
  bulge: readonly [number, number],
  random: Random,
): Stroke {
  const points: [number, number][] = [];
  const phase = random.range(0, 6);
  for (let i = 0; i <= 10; i++) {
    const t = i / 10;
    const arc = 4 * t * (1 - t);
    points.push([
      lerp(from[0], to[0], t) + bulge[0] * arc,
      lerp(from[1], to[1], t) + bulge[1] * arc + 0.05 * Math.sin(phase + t * 9),
    ]);
  }
  return points;
}

function wrinklesOf(traits: Traits, random: Random): readonly Wrinkle[] {
  const found: Wrinkle[] = [];
  const add = (line: Stroke, width: number, depth: number): void => {
    if (depth > 0.015) found.push({ line, width, depth });
  };
  const { wrinkles } = traits.skin;
  const fat = clamp(traits.shape.cheekFullness * 0.12 + 0.2, 0, 0.5);
  for (const side of [-1, 1]) {
    const vary = (): number => random.range(0.75, 1.25);
    const fold = clamp((0.12 + fat + 0.75 * wrinkles) * vary(), 0, 1);
    add(curve([side * 1.95, -1.3], [side * 3.25, -4.6], [side * 0.55, 0.1], random), 0.26, 0.3 * fold);
    const hollow = curve([side * 1.5, 1.75], [side * 3.7, 0.85], [side * 0.1, -0.3], random);
    add(hollow, 0.2, 0.2 * (0.25 + wrinkles) * vary());
    // The fold of the upper lid.
    const lid = curve([side * 1.95, 2.95], [side * 4.7, 2.85], [0, 0.42 - 0.1 * traits.shape.lidHood], random);
    add(lid, 0.1, 0.3 * clamp(1 - 0.3 * traits.shape.epicanthus, 0.15, 1));
    if (wrinkles <= 0.15) continue;
    for (let i = 0; i < 4; i++) {
      const y = 2.5 + (i - 1.5) * 0.42 + random.range(-0.1, 0.1);
      const end = [side * random.range(5.7, 6.6), y * 1.5 - 1.2] as const;
      add(curve([side * 4.9, y * 0.6 + 1.05], end, [0, -0.1], random), 0.07, 0.26 * wrinkles * vary());
    }
    add(curve([side * 2.5, -4.6], [side * 2.9, -6.7], [side * 0.15, 0], random), 0.17, 0.3 * wrinkles * vary());
    const frown = curve([side * 0.55, 3.6], [side * 0.75, 5.3], [side * 0.1, 0], random);
    add(frown, 0.1, 0.32 * wrinkles * random.range(0.2, 1.3));
    add(curve([side * 4.4, -0.4], [side * 4.9, -3.8], [side * 0.5, 0], random), 0.12, 0.16 * wrinkles * vary());
  }
  const rows = Math.round(lerp(1, 5, clamp(wrinkles, 0, 1)));
  for (let i = 0; i < rows; i++) {
    const y = 5.7 + i * 0.52 + random.range(-0.1, 0.1);
    const half = random.range(2.4, 4.6);
    const end = [half * random.range(0.8, 1), y] as const;
    const line = curve([-half, y - 0.1], end, [0, random.range(-0.2, 0.3)], random);
    add(line, 0.1, 0.27 * wrinkles * random.range(0.4, 1.2));
  }
  return found;
}

/** A crease: dark at the bottom, a faint light ridge beside it, and a dent in the relief. */
function groove(canvas: SkinCanvas, line: Stroke, width: number, depth: number): void {
  eachNear(canvas, line, width * 3, (texel, distance, along) => {
    const fade = clamp(Math.min(along, 1 - along) * 6 + 0.15, 0, 1);
    const valley = bell((distance / width) ** 2) * fade;
    const ridge = bell(((distance - 2 * width) / width) ** 2) * fade;
    const factor = 1 - 0.95 * depth * valley + 0.1 * depth * ridge;
    for (let k = 0; k < 3; k++)
      canvas.colour[texel * 3 + k] = (canvas.colour[texel * 3 + k] as number) * (k === 0 ? factor ** 0.8 : factor);
    canvas.height[texel] = (canvas.height[texel] as number) - 0.16 * depth * valley * Math.min(1, width * 5);
  });
}

function stain(canvas: SkinCanvas, line: Stroke, width: number, factor: Colour, amount: number): void {
  eachNear(canvas, line, width * 2.5, (texel, distance) => {
    const weight = amount * bell((distance / width) ** 2);
    for (let k = 0; k < 3; k++) {
      canvas.colour[texel * 3 + k] = clamp(
        (canvas.colour[texel * 3 + k] as number) * lerp(1, factor[k] as number, weight),
        0,
        0.95,
      );
    }
  });
}

/** Visits each texel within reach of a stroke once, with its distance and its place along the stroke in [0, 1]. */
function eachNear(
  canvas: SkinCanvas,
  line: Stroke,
  reach: number,
  visit: (texel: number, distance: number, along: number) => void,
): void {
  const best = new Map<number, readonly [number, number]>();
  for (let i = 1; i < line.length; i++) {
    const [a, b] = [line[i - 1], line[i]];
    if (!a || !b) continue;
    const [dx, dy] = [b[0] - a[0], b[1] - a[1]];
    const squared = dx * dx + dy * dy || 1;
    const [mx, my] = [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
    canvas.layout.near(mx, my, reach + Math.sqrt(squared) / 2, (texel, ox, oy) => {
      const [px, py] = [mx + ox - a[0], my + oy - a[1]];
      const t = clamp((px * dx + py * dy) / squared, 0, 1);
      const distance = hypot2(px - t * dx, py - t * dy);
      if (distance > reach) return;
      const known = best.get(texel);
      if (!known || distance < known[0]) best.set(texel, [distance, (i - 1 + t) / (line.length - 1)]);
    });
  }
  for (const [texel, [distance, along]] of best) visit(texel, distance, along);
}
