import { FaceError } from './errors.ts';
import type { Kernel } from './kernel.ts';

/** RGBA or RGB bytes, row-major, no padding. Alpha is ignored. */
export interface PixelImage {
  readonly data: Uint8Array | Uint8ClampedArray;
  readonly width: number;
  readonly height: number;
  readonly channels: 3 | 4;
}

/**
 * Maps target pixel coordinates to source pixel coordinates, centres at +0.5:
 * `sx = a·(x+0.5) + b·(y+0.5) + c`, `sy = d·(x+0.5) + e·(y+0.5) + f`, where source pixel i covers [i, i+1).
 */
export interface AffineTransform {
  readonly a: number;
  readonly b: number;
  readonly c: number;
  readonly d: number;
  readonly e: number;
  readonly f: number;
}

/** Options of `warpToFloat`. */
export interface WarpOptions {
  /** How pixels outside the source are filled: from the nearest source pixel, or black. Default 'black'. */
  readonly fill?: 'edge' | 'black';
  /** `out = value · scale + offset`, value in [0, 255]. Default 1. */
  readonly scale?: number;
  /** Default 0. */
  readonly offset?: number;
  /**
   * Output buffer instead of a new array; at least height·width·3 long. In the core's own memory, as a network's input,
   * it is written without a copy; the view that is returned stays valid if memory grew.
   */
  readonly out?: Float32Array;
}

/** Options of `warpToBytes` and `warpToLuma`. */
export interface WarpBytesOptions extends Pick<WarpOptions, 'fill'> {
  /** Output buffer instead of a new array; at least height·width·3 long, of luma height·width. */
  readonly out?: Uint8Array;
}

/** An image in wasm memory, owned and disposed by the caller. */
export interface CoreImage {
  readonly width: number;
  readonly height: number;
  /**
   * Area-averaging resample to RGB floats, height × width × 3: each value is the mean of the source over the pixel's
   * footprint (docs/internals/core.md). Bit-identical on all platforms.
   * @throws FaceError `invalid-argument` for a transform, size or buffer out of range, and after `dispose`
   */
  warpToFloat(transform: AffineTransform, width: number, height: number, options?: WarpOptions): Float32Array;
  /** Like `warpToFloat`, to RGB bytes, rounded half up. */
  warpToBytes(transform: AffineTransform, width: number, height: number, options?: WarpBytesOptions): Uint8Array;
  /** Rec. 601 luma of what `warpToBytes` gives, height × width bytes. */
  warpToLuma(transform: AffineTransform, width: number, height: number, options?: WarpBytesOptions): Uint8Array;
  /** Wipes and frees the pixels. Idempotent. */
  dispose(): void;
}

const flagEdge = 1;
const flagBytes = 2;
const flagLuma = 4;

const maxPixels = 1 << 26;
const maxSide = 1 << 16;
/**
 * Longest footprint edge in source pixels. A larger one is an error, or an attempt to make the resample run very long.
 */
const maxShrink = 1024;
const maxTranslation = 1e7;
/**
 * Largest distance between samples, in source pixels. Samples are bilinear, so at this spacing every source pixel
 * contributes, in rows of up to `maxRowSamples`.
 */
const maxSampleSpacing = 1.125;
/** Their integer sum fits 32 bits. */
const maxRowSamples = 512;

function isSize(value: number, max: number): boolean {
  return Number.isInteger(value) && value > 0 && value <= max;
}

/** @throws FaceError `image-invalid` unless there are exactly width·height·channels bytes and at most 2²⁶ pixels */
function assertImage(image: PixelImage): void {
  const { data, width, height, channels } = image;
  const fits = isSize(width, maxSide) && isSize(height, maxSide) && width * height <= maxPixels;
  const isBytes = data instanceof Uint8Array || data instanceof Uint8ClampedArray;
  if (!fits || !isBytes || (channels !== 3 && channels !== 4) || data.length !== width * height * channels) {
    throw new FaceError('image-invalid', 'image size, channels and byte length do not fit together');
  }
}

function assertWarp(t: AffineTransform, width: number, height: number): void {
  if (!isSize(width, maxSide) || !isSize(height, maxSide) || width * height > maxPixels) {
    throw new FaceError('invalid-argument', 'target size out of range');
  }
  const linear = [t.a, t.b, t.d, t.e].every((value) => Math.abs(value) <= maxShrink);
  const translation = Math.abs(t.c) <= maxTranslation && Math.abs(t.f) <= maxTranslation;
  // The comparison also rejects NaN.
  if (!linear || !translation) throw new FaceError('invalid-argument', 'transform out of range');
}

/** Number of samples along one edge of the footprint. */
function samplesAlong(dx: number, dy: number): number {
  return Math.max(1, Math.ceil(Math.sqrt(dx * dx + dy * dy) / maxSampleSpacing));
}

function assertOut(out: { readonly length: number } | undefined, length: number): void {
  if (out !== undefined && out.length < length) throw new FaceError('invalid-argument', 'out is too short');
}

/** Copies an image into wasm memory as RGBA. */
export function createCoreImage(kernel: Kernel, source: PixelImage): CoreImage {
  assertImage(source);
  const { heap, exports } = kernel;
  const { width, height, channels } = source;
  const pixels = width * height;
  const address = heap.allocate(pixels * 4);
  let disposed = false;
  if (channels === 4) {
    heap.bytes(address, pixels * 4).set(source.data);
  } else {
    // RGB is copied to the end of the buffer and expanded in place from its start.
    heap.bytes(address + pixels, pixels * 3).set(source.data);
    exports.expandRgb(address + pixels, address, pixels);
  }

  function warp(
    t: AffineTransform,
    target: { readonly address: number; readonly width: number; readonly height: number },
    output: readonly [flags: number, scale: number, offset: number],
  ): void {
    const to = [target.address, target.width, target.height] as const;
    if (t.b === 0 && t.d === 0) {
      heap.borrow((width + target.width) * 16, (scratch) => {
        exports.warpBox(address, width, height, t.a, t.c, t.e, t.f, scratch, ...to, ...output);
      });
      return;
    }
    const nu = Math.min(maxRowSamples, samplesAlong(t.a, t.d));
    const nv = samplesAlong(t.b, t.e);
    exports.warpGrid(address, width, height, t.a, t.b, t.c, t.d, t.e, t.f, nu, nv, ...to, ...output);
  }

  function assertLive(): void {
    if (disposed) throw new FaceError('invalid-argument', 'the image was disposed');
  }

  const flagsOf = ({ fill }: Pick<WarpOptions, 'fill'>): number => (fill === 'edge' ? flagEdge : 0);

  function warpToBytes(
    format: number,
    channels: number,
    ...[transform, targetWidth, targetHeight, options = {}]: Parameters<CoreImage['warpToBytes']>
  ): Uint8Array {
    assertLive();
    assertWarp(transform, targetWidth, targetHeight);
    const length = targetWidth * targetHeight * channels;
    assertOut(options.out, length);
    const out = options.out ?? new Uint8Array(length);
    heap.borrow(length, (target) => {
      const size = { width: targetWidth, height: targetHeight };
      warp(transform, { address: target, ...size }, [flagsOf(options) | format, 1, 0]);
      out.set(heap.bytes(target, length));
    });
    return out;
  }

  return {
    width,
    height,
    warpToFloat(transform, targetWidth, targetHeight, options = {}) {
      assertLive();
      assertWarp(transform, targetWidth, targetHeight);
      const length = targetWidth * targetHeight * 3;
      assertOut(options.out, length);
      const out = options.out ?? new Float32Array(length);
      const output = [flagsOf(options), options.scale ?? 1, options.offset ?? 0] as const;
      const size = { width: targetWidth, height: targetHeight };
      const [own, outLength] = [heap.addressOf(out), out.length];
      // The kernel writes vectors of four floats at a stride of three: over one float after the last.
      if (own !== undefined) {
        const after = heap.floats(own + 4 * length, 1).slice();
        warp(transform, { address: own, ...size }, output);
        heap.floats(own + 4 * length, 1).set(after);
        return heap.floats(own, outLength);
      }
      heap.borrow(length * 4 + 4, (target) => {
        warp(transform, { address: target, ...size }, output);
        out.set(heap.floats(target, length));
      });
      return out;
    },
    warpToBytes: (...target) => warpToBytes(flagBytes, 3, ...target),
    warpToLuma: (...target) => warpToBytes(flagLuma, 1, ...target),
    dispose() {
      if (disposed) return;
      disposed = true;
      heap.free(address);
    },
  };
}
