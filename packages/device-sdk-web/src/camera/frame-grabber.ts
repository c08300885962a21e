import type { PixelImage } from '@svc/core';
import { markOwnPixels } from './own-pixels.ts';

/** Larger pictures are scaled down: more pixels cost time and tell the models nothing. */
const MAX_SIDE_PX = 1280;

export interface FrameGrabber {
  /** What the element shows, upright and unmirrored, in pixels of its own. @throws DOMException where there is nothing to show */
  grab(video: HTMLVideoElement): PixelImage;
  /** Lets go of the last picture. */
  dispose(): void;
}

export function createFrameGrabber(): FrameGrabber {
  const canvas = document.createElement('canvas');
  // Without the hint each reading would wait for the graphics card.
  const context = canvas.getContext('2d', { willReadFrequently: true, alpha: false });
  if (context === null) throw new DOMException('this page can make no canvas', 'NotSupportedError');
  return {
    grab(video) {
      const { width, height } = fitted(video.videoWidth, video.videoHeight);
      if (canvas.width !== width) canvas.width = width;
      if (canvas.height !== height) canvas.height = height;
      context.drawImage(video, 0, 0, width, height);
      const { data } = context.getImageData(0, 0, width, height);
      markOwnPixels(data);
      return { data, width, height, channels: 4 };
    },
    dispose() {
      canvas.width = 0;
      canvas.height = 0;
    },
  };
}

function fitted(width: number, height: number): { readonly width: number; readonly height: number } {
  const scale = Math.min(1, MAX_SIDE_PX / Math.max(width, height));
  return { width: Math.round(width * scale), height: Math.round(height * scale) };
}
