import type { PixelImage } from '@svc/core';

/** In pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Scales a size down, never up, until its longest side is at most `longestSidePx`; no side falls below 1 px. */
export function fittedSize({ width, height }: Size, longestSidePx: number): Size {
  const scale = Math.min(1, longestSidePx / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

/** Reads pictures from a video element. */
export interface FrameGrabber {
  /**
   * The picture that the element shows, upright and unmirrored, as RGBA in an array of its own.
   * @throws DOMException if there is no picture
   */
  grab(video: HTMLVideoElement): Promise<GrabbedImage>;
  /** Takes back the array of an earlier picture, for a later one. Its content is overwritten then: wipe it before. */
  reuse(data: GrabbedImage['data']): void;
  /** Releases the last picture. */
  dispose(): void;
}

/** A picture whose buffer may be transferred. */
export type GrabbedImage = PixelImage & { readonly data: Uint8ClampedArray<ArrayBuffer> };

/** The picture that is read and the next. */
const MOST_SPARE = 2;
/** As a canvas converts, bit for bit. */
const RGBA = { format: 'RGBA', colorSpace: 'srgb' } as const;

/** @param longestSidePx larger pictures are scaled down: more pixels cost time without helping the models */
export function createFrameGrabber(longestSidePx: number): FrameGrabber {
  const canvas = document.createElement('canvas');
  let context: CanvasRenderingContext2D | null = null;
  let spare: GrabbedImage['data'][] = [];
  function draw(video: HTMLVideoElement, { width, height }: Size): GrabbedImage['data'] {
    // Without the hint each read would wait for the GPU.
    context ??= canvas.getContext('2d', { willReadFrequently: true, alpha: false });
    if (context === null) throw new DOMException('this page can make no canvas', 'NotSupportedError');
    if (canvas.width !== width) canvas.width = width;
    if (canvas.height !== height) canvas.height = height;
    context.drawImage(video, 0, 0, width, height);
    return context.getImageData(0, 0, width, height).data;
  }
  function take(bytes: number): GrabbedImage['data'] {
    const kept = spare.pop();
    return kept?.length === bytes ? kept : new Uint8ClampedArray(bytes);
  }
  return {
    async grab(video) {
      if (video.videoWidth === 0) throw new DOMException('the element shows nothing', 'InvalidStateError');
      const size = fittedSize({ width: video.videoWidth, height: video.videoHeight }, longestSidePx);
      const copied = await copyPicture(video, size, take).catch(() => null);
      return { data: copied ?? draw(video, size), ...size, channels: 4 };
    },
    reuse(data) {
      spare = [data, ...spare].slice(0, MOST_SPARE);
    },
    dispose() {
      spare = [];
      canvas.width = 0;
      canvas.height = 0;
    },
  };
}

/**
 * Copies the picture without a canvas: Chromium keeps the last hundred and more pictures that were drawn on one, half a
 * gigabyte of people and tickets. Null if it must be scaled or turned, or this browser can't convert it.
 */
async function copyPicture(
  video: HTMLVideoElement,
  { width, height }: Size,
  take: (bytes: number) => GrabbedImage['data'],
): Promise<GrabbedImage['data'] | null> {
  if (typeof VideoFrame === 'undefined') return null;
  const frame: VideoFrame & { readonly rotation?: number; readonly flip?: boolean } = new VideoFrame(video);
  try {
    const { visibleRect, displayWidth, displayHeight, rotation, flip } = frame;
    const sides = [visibleRect, { width: displayWidth, height: displayHeight }];
    const isWhole = sides.every((side) => side?.width === width && side.height === height);
    const bytes = frame.allocationSize(RGBA);
    if (rotation !== 0 || flip !== false || !isWhole || bytes !== width * height * 4) return null;
    const data = take(bytes);
    await frame.copyTo(data, RGBA);
    return data;
  } finally {
    frame.close();
  }
}
