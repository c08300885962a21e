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
   * The picture that the element shows, upright and unmirrored, as a new RGBA array.
   * @throws DOMException if there is no picture
   */
  grab(video: HTMLVideoElement): PixelImage;
  /** Releases the last picture. */
  dispose(): void;
}

/** @param longestSidePx larger pictures are scaled down: more pixels cost time without helping the models */
export function createFrameGrabber(longestSidePx: number): FrameGrabber {
  const canvas = document.createElement('canvas');
  // Without the hint each read would wait for the GPU.
  const context = canvas.getContext('2d', { willReadFrequently: true, alpha: false });
  if (context === null) throw new DOMException('this page can make no canvas', 'NotSupportedError');
  return {
    grab(video) {
      if (video.videoWidth === 0) throw new DOMException('the element shows nothing', 'InvalidStateError');
      const { width, height } = fittedSize({ width: video.videoWidth, height: video.videoHeight }, longestSidePx);
      if (canvas.width !== width) canvas.width = width;
      if (canvas.height !== height) canvas.height = height;
      context.drawImage(video, 0, 0, width, height);
      const { data } = context.getImageData(0, 0, width, height);
      return { data, width, height, channels: 4 };
    },
    dispose() {
      canvas.width = 0;
      canvas.height = 0;
    },
  };
}
