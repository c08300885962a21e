import { readFile } from 'node:fs/promises';
import type { PixelImage } from '@svc/core';
import type { CameraFrame } from '@svc/device-sdk';
import { type Box, type FaceEngine, livenessBox } from '@svc/face-engine';
import type { Browser } from 'playwright-core';
import { withFace } from '../first-face.ts';

/**
 * A recording cropped as a camera nearer to the person would show it: the part of each frame with this room around the
 * face. The part is chosen by the face at the start of each `everyMs`, and fixed in between. Frames before the first
 * face are left out.
 *
 * @param room size of the part relative to the face's box, in the tighter direction; 1 or more
 */
export async function* nearFrames(
  engine: FaceEngine,
  frames: AsyncIterable<CameraFrame>,
  room: number,
  everyMs: number,
): AsyncGenerator<CameraFrame> {
  let part: Box | null = null;
  let chosenFor = -1;
  for await (const frame of frames) {
    const span = Math.floor(frame.timestampMs / everyMs);
    if (span !== chosenFor) {
      const face = await withFace(engine, frame.image, ({ box }) => box);
      if (face !== null) {
        part = partAround(frame.image, face, room);
        chosenFor = span;
      }
    }
    if (part !== null) yield { ...frame, image: cutOut(frame.image, part) };
  }
}

/** With the frame's aspect ratio, centred on the face as far as the frame's edges allow, in whole pixels. */
export function partAround(frame: { readonly width: number; readonly height: number }, face: Box, room: number): Box {
  const box = livenessBox(face);
  const shrink = Math.min(1, Math.max((room * box.width + 1) / frame.width, (room * box.height + 1) / frame.height));
  const [width, height] = [Math.round(frame.width * shrink), Math.round(frame.height * shrink)];
  const within = (centre: number, length: number, size: number): number =>
    Math.min(size - length, Math.max(0, Math.round(centre - length / 2)));
  return {
    x: within(box.x + box.width / 2, width, frame.width),
    y: within(box.y + box.height / 2, height, frame.height),
    width,
    height,
  };
}

function cutOut({ data, width, channels }: PixelImage, part: Box): PixelImage {
  const cut = new Uint8Array(part.width * part.height * channels);
  for (let y = 0; y < part.height; y++) {
    const start = ((part.y + y) * width + part.x) * channels;
    cut.set(data.subarray(start, start + part.width * channels), y * part.width * channels);
  }
  return { data: cut, width: part.width, height: part.height, channels };
}

/** Code for the page, as text, because it uses names of the browser. */
const openClip = `async (base64) => {
  const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  const video = Object.assign(document.createElement('video'), { muted: true, preload: 'auto' });
  video.src = URL.createObjectURL(new Blob([bytes], { type: 'video/webm' }));
  await new Promise((resolve, reject) => {
    video.onloadeddata = resolve;
    video.onerror = () => reject(new Error('the clip does not play'));
  });
  const canvas = Object.assign(document.createElement('canvas'), { width: video.videoWidth, height: video.videoHeight });
  globalThis.clip = { video, canvas, context: canvas.getContext('2d', { willReadFrequently: true }) };
  return { durationMs: video.duration * 1000, width: canvas.width, height: canvas.height };
}`;
const readAt = `async (ms) => {
  const { video, canvas, context } = globalThis.clip;
  await new Promise((resolve) => {
    video.onseeked = resolve;
    video.currentTime = ms / 1000;
  });
  context.drawImage(video, 0, 0);
  const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
  let text = '';
  for (let i = 0; i < data.length; i += 0x8000) text += String.fromCharCode(...data.subarray(i, i + 0x8000));
  return btoa(text);
}`;

/**
 * Frames of a video file, decoded by Chromium and kept in memory only: one by one, at the given rate, over the whole
 * video.
 */
export async function* clipFrames(browser: Browser, path: string, fps: number): AsyncGenerator<CameraFrame> {
  const page = await browser.newPage();
  try {
    const base64 = (await readFile(path)).toString('base64');
    const { durationMs, width, height } = await page.evaluate<{ durationMs: number; width: number; height: number }>(
      `(${openClip})(${JSON.stringify(base64)})`,
    );
    for (let i = 0; (i * 1000) / fps < durationMs; i++) {
      const timestampMs = (i * 1000) / fps;
      const text = await page.evaluate<string>(`(${readAt})(${timestampMs})`);
      const data = new Uint8Array(Buffer.from(text, 'base64'));
      yield { image: { data, width, height, channels: 4 }, timestampMs };
      data.fill(0);
    }
  } finally {
    await page.close();
  }
}
