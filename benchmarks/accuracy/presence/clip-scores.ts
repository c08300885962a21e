import { join } from 'node:path';
import type { CameraFrame } from '@svc/device-sdk';
import { STANDARD_POLICY } from '@svc/device-sdk/evaluation';
import type { FaceEngine } from '@svc/face-engine';
import type { Browser } from 'playwright-core';
import { meanOf } from '../../statistics/summary.ts';
import { clipFrames } from '../liveness/clip-frames.ts';
import { type ClipWindow, judgeWindows } from '../liveness/clip-windows.ts';
import type { ByModel } from './scored-frame.ts';
import { overheard, type UngatedModel } from './ungated-models.ts';

/** One model's results for three seconds of a recording. */
export interface WindowScore extends ClipWindow {
  /** Of every frame with a face, within the limits or not; null if there was none. */
  readonly mean: number | null;
  readonly lowest: number | null;
}

export interface ScoredWindow {
  readonly clip: string;
  readonly startMs: number;
  readonly scores: ByModel<WindowScore>;
}

/** A man before a webcam, whole length. */
const clips = ['cap12_edit.webm', 'cap13_edit2.webm'];
const fps = 10;

async function windowsOf(
  engine: FaceEngine,
  model: UngatedModel,
  frames: AsyncIterable<CameraFrame>,
): Promise<readonly WindowScore[]> {
  const heard: number[][] = [];
  let nowMs = 0;
  async function* watched(): AsyncGenerator<CameraFrame> {
    for await (const frame of frames) {
      nowMs = frame.timestampMs;
      yield frame;
    }
  }
  const listening = overheard(model, (score) => {
    const window = Math.floor(nowMs / STANDARD_POLICY.passive.estimateWindowMs);
    heard[window] = [...(heard[window] ?? []), score];
  });
  const { windows } = await judgeWindows(engine, listening, watched());
  return windows.map((window, i) => {
    const scores = heard[i] ?? [];
    const isEmpty = scores.length === 0;
    return { ...window, mean: isEmpty ? null : meanOf(scores), lowest: isEmpty ? null : Math.min(...scores) };
  });
}

/** Every window of both clips, with every model. @param folder of the clips */
export async function scoreClips(
  engine: FaceEngine,
  models: readonly UngatedModel[],
  browser: Browser,
  folder: string,
): Promise<readonly ScoredWindow[]> {
  const scored: ScoredWindow[] = [];
  for (const clip of clips) {
    const byModel: [UngatedModel, readonly WindowScore[]][] = [];
    for (const model of models)
      byModel.push([model, await windowsOf(engine, model, clipFrames(browser, join(folder, clip), fps))]);
    const count = byModel[0]?.[1].length ?? 0;
    for (let i = 0; i < count; i++) {
      const scores = Object.fromEntries(
        byModel.flatMap(([{ name }, windows]) => (windows[i] === undefined ? [] : [[name, windows[i]]])),
      );
      scored.push({ clip, startMs: i * STANDARD_POLICY.passive.estimateWindowMs, scores });
    }
  }
  return scored;
}
