import { readFile } from 'node:fs/promises';
import type { CameraFrame } from '@svc/device-sdk';
import type { Browser } from 'playwright-core';

/** What runs in the page: names of the browser live there alone, so it comes as text. */
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

/** Frames of a video file, decoded by Chromium and held in memory alone: one by one, at the rate asked for, from the start to the end. */
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
