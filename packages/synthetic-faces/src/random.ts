/** Avalanche of a 32-bit integer (the finaliser of splitmix32). */
export function mix32(value: number): number {
  let x = value | 0;
  x = Math.imul(x ^ (x >>> 16), 0x21f0aaad);
  x = Math.imul(x ^ (x >>> 15), 0x735a2d97);
  return (x ^ (x >>> 15)) >>> 0;
}

/** Deterministic stream of numbers: the same seed and stream name give the same sequence on every machine. */
export class Random {
  #state: number;

  constructor(seed: number, stream = '') {
    let state = mix32((seed >>> 0) ^ mix32(Math.floor(seed / 4294967296)));
    for (let i = 0; i < stream.length; i++) state = mix32(state + stream.charCodeAt(i) * 0x9e3779b9);
    this.#state = state;
  }

  /** Uniform in [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x9e3779b9) | 0;
    return mix32(this.#state) / 4294967296;
  }

  range(low: number, high: number): number {
    return low + (high - low) * this.next();
  }

  integer(below: number): number {
    return Math.floor(this.next() * below);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** Standard normal (Box–Muller), cut at ±3 so that no head is a monster. */
  normal(): number {
    const radius = Math.sqrt(-2 * Math.log(1 - this.next()));
    return Math.max(-3, Math.min(3, radius * Math.cos(2 * Math.PI * this.next())));
  }

  pick<T>(values: readonly [T, ...T[]]): T {
    return values[this.integer(values.length)] ?? values[0];
  }
}

const latticeX = 0x27d4eb2d;
const latticeY = 0x165667b1;

function scramble(mixed: number): number {
  let h = Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return ((h ^ (h >>> 16)) >>> 0) / 4294967296;
}

/** Uniform hash of an integer lattice point, in [0, 1). */
export const latticeHash = (x: number, y: number, seed: number): number =>
  scramble(Math.imul(x, latticeX) ^ Math.imul(y, latticeY) ^ seed);

/** Value noise in [-1, 1] on a unit lattice. */
export function noise2(x: number, y: number, seed: number): number {
  const ix = Math.floor(x);
  const iy = Math.floor(y);
  const fx = x - ix;
  const fy = y - iy;
  const u = fx * fx * (3 - 2 * fx);
  const v = fy * fy * (3 - 2 * fy);
  const left = Math.imul(ix, latticeX);
  const right = left + latticeX;
  const near = Math.imul(iy, latticeY);
  const top = near ^ seed;
  const bottom = (near + latticeY) ^ seed;
  const a = scramble(left ^ top);
  const b = scramble(right ^ top);
  const c = scramble(left ^ bottom);
  const d = scramble(right ^ bottom);
  return (a + (b - a) * u + (c - a) * v + (a - b - c + d) * u * v) * 2 - 1;
}

/** Fractal sum of {@link noise2}, normalised to about [-1, 1]. */
export function fractal2(x: number, y: number, octaves: number, seed: number): number {
  let sum = 0;
  let amplitude = 1;
  let total = 0;
  let scale = 1;
  for (let i = 0; i < octaves; i++) {
    sum += amplitude * noise2(x * scale, y * scale, seed + i * 7919);
    total += amplitude;
    amplitude *= 0.55;
    scale *= 2.03;
  }
  return sum / total;
}
