import type { KernelExports } from '../kernel.ts';
import { type KernelCall, kernelCall } from './kernel-inputs.ts';

const pageBytes = 65_536;

interface Outcome {
  readonly result: number;
  /** All memory of the call's scene. */
  readonly bytes: Uint8Array;
}

function run(exports: KernelExports, { name, args }: KernelCall, base: number, bytes: Uint8Array): Outcome {
  const { memory } = exports;
  const missing = base + bytes.length - memory.buffer.byteLength;
  if (missing > 0) memory.grow(Math.ceil(missing / pageBytes));
  const place = new Uint8Array(memory.buffer, base, bytes.length);
  place.set(bytes);
  const result = (exports[name] as (...args: readonly number[]) => number | undefined)(...args) ?? 0;
  return { result, bytes: place.slice() };
}

/**
 * Calls every export of two builds of the core in turn, with random arguments and memory, and compares their results
 * and all of the memory they were given. Which bits a not-a-number has is the engine's choice (WebAssembly 2.0, 4.3.3)
 * where it was computed: two are the same there.
 * @param seeds the calls' seeds; the same seed makes the same call
 * @returns the first call with a difference, or null
 */
export function firstDifference(
  one: KernelExports,
  other: KernelExports,
  seeds: Iterable<number>,
): { readonly seed: number; readonly call: KernelCall; readonly at: number | null } | null {
  const base = Math.ceil(Math.max(one.heapBase(), other.heapBase()) / 16) * 16;
  for (const seed of seeds) {
    const { call, scene } = kernelCall(seed, base);
    if (call.name === 'gcmOpen') openable(one, call, scene, seed);
    const [expected, actual] = [one, other].map((exports) => run(exports, call, base, scene.bytes)) as [
      Outcome,
      Outcome,
    ];
    if (!Object.is(expected.result, actual.result)) return { seed, call, at: null };
    const at = differenceIn(expected.bytes, actual.bytes, numbersOf(call));
    if (at !== null) return { seed, call, at: base + at };
  }
  return null;
}

/** Puts a right tag, ciphertext and all, where a message is opened; every third is left as it is. */
function openable(
  exports: KernelExports,
  { args }: KernelCall,
  scene: ReturnType<typeof kernelCall>['scene'],
  seed: number,
): void {
  if (seed % 3 === 0) return;
  const sealed = run(exports, { name: 'gcmSeal', args }, scene.base, scene.bytes);
  scene.set(scene.base, sealed.bytes);
}

type Numbers = 'f32' | 'f64' | 'bytes';

function numbersOf({ name }: KernelCall): Numbers {
  if (name === 'rowNorms') return 'f64';
  return name === 'gcmSeal' || name === 'gcmOpen' || name === 'expandRgb' ? 'bytes' : 'f32';
}

function differenceIn(a: Uint8Array, b: Uint8Array, numbers: Numbers): number | null {
  const [x, y] = [a, b].map((bytes) => new DataView(bytes.buffer)) as [DataView, DataView];
  const size = numbers === 'f64' ? 8 : 4;
  for (let at = 0; at + size <= a.length; at += size) {
    const isSame = x.getUint32(at, true) === y.getUint32(at, true);
    if (isSame && (size === 4 || x.getUint32(at + 4, true) === y.getUint32(at + 4, true))) continue;
    const numberAt = (view: DataView): number =>
      numbers === 'f64' ? view.getFloat64(at, true) : view.getFloat32(at, true);
    if (numbers === 'bytes' || !Number.isNaN(numberAt(x)) || !Number.isNaN(numberAt(y))) return at;
  }
  return null;
}
