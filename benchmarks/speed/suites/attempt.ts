import { deepEqual, equal } from 'node:assert/strict';
import { findChromium } from '@svc/device-sdk-web/testing';
import { median, quantile } from '../../inputs/summary.ts';
import { openDoor } from '../attempt/open-door.ts';
import { type AttemptTimes, computingMs, latencyMs } from '../attempt/time-attempt.ts';
import { FRAME_MS, FRAMES_PER_S, type Visit } from '../attempt/visitor.ts';
import { withoutAddOn } from '../inputs/engines.ts';
import { holdToOneCore } from '../inputs/one-core.ts';
import { frameHeight, frameWidth } from '../inputs/photo.ts';
import { duration } from '../report.ts';
import type { SuiteFactory } from '../suite.ts';

const WINDOW_MS = 10_000;
/** From the last frame to the result: what a guest takes for «at once». */
const AT_ONCE_MS = 100;

const p95 = (values: readonly number[]): number => quantile(values, 0.95);

/** Whole attempts of genuine guests, frame by frame, on a device in a page. */
export const createSuite: SuiteFactory = async (scale) => {
  const isFull = scale === 'full';
  const executablePath = findChromium();
  if (executablePath === null) {
    const skipped = ['attempts in Chromium: there is none here (SVC_CHROMIUM names one)'];
    return { title: 'Attempts', about: '', cases: [], ratios: [], clock: 'wall', skipped };
  }
  const onOneCore = isFull ? holdToOneCore() : null;
  const people = isFull ? 3 : 1;
  const directions = isFull ? (['left', 'right'] as const) : (['left'] as const);
  const visits = directions.flatMap((direction) =>
    Array.from({ length: people }, (_, person): Visit => ({ person, direction })),
  );
  const door = await openDoor({ people, executablePath, start: onOneCore ?? ((begin) => begin()) });
  const attempts: AttemptTimes[] = [];
  const framesMs = () => attempts.flatMap(({ frames }) => frames.map(computingMs));

  async function attempt(visit: Visit): Promise<AttemptTimes> {
    const times = await door.attempt(visit);
    equal(times.ended, 'Match/verified');
    equal(times.frames.length, times.counts.framesAnalysed);
    return times;
  }
  const share = (): string => {
    const computing = median(attempts.map(({ frames }) => frames.reduce((sum, frame) => sum + computingMs(frame), 0)));
    const span = median(attempts.map((times) => (times.frames.at(-1)?.atMs ?? 0) + latencyMs(times)));
    const frames = median(attempts.map((times) => times.frames.length));
    return `${frames.toFixed(0)} frames, ${duration(span)} from the first to the result, computing ${duration(computing)}: ${((100 * computing) / WINDOW_MS).toFixed(0)} % of the window`;
  };
  const cores = onOneCore
    ? 'Chromium with all its processes is held to one core by taskset, and what serves the frames to another'
    : 'Not held to one core: taskset could not do it';
  return {
    title: 'Attempts',
    about: `Genuine visits of ${people} rendered people, each ${directions.join(' and ')}: ${frameWidth}×${frameHeight} at ${FRAMES_PER_S} frames a second, looking ahead, turning when asked, looking back; a device of the SDK in a page of Chromium that has synced and has the default engine${door.hasPassive ? ' and its passive check' : ''} lets them in. Every frame is looked at, at the time that it has, so a slow machine sees the very same attempt as a fast one, whose every end is checked: a match. A frame's time runs from its arrival until the next one is asked for, that of the last until the result, the device's last look at its stored list included. What frames compute is processor time of all threads of the renderer (by the clock where an operating system does not tell it); from the last frame to the result is by the clock. Making the frame is not in it, nor what it takes a page to read one out of a video, which was within 5 ms. ${cores}. «A whole attempt» is frame after frame without the waiting between them, with the way of each frame to the page.`,
    cases: [
      {
        name: 'a whole attempt',
        run: async () => {
          const visit = visits[attempts.length % visits.length];
          if (visit !== undefined) attempts.push(await attempt(visit));
        },
        check: async () => {
          for (const visit of visits) deepEqual((await attempt(visit)).counts, (await attempt(visit)).counts);
        },
      },
    ],
    ratios: [],
    figures: [{ name: 'an attempt', text: share }],
    beginMeasuring() {
      attempts.length = 0;
    },
    spreads: () => [
      { name: 'a frame', values: framesMs() },
      { name: 'from the last frame to the result', values: attempts.map(latencyMs) },
      { name: 'admission, lookup, opening', values: attempts.map(({ openingMs }) => openingMs) },
    ],
    bars: () => [
      { name: '95 of 100 frames compute within', value: p95(framesMs()), atMost: FRAME_MS, unit: 'ms' },
      {
        ...{ name: '95 of 100 results after the last frame within', value: p95(attempts.map(latencyMs)) },
        ...{ atMost: AT_ONCE_MS, unit: 'ms' },
      },
    ],
    rounds: isFull ? 60 : 1,
    batchMs: 1,
    clock: 'wall',
    skipped: door.hasPassive ? [] : [withoutAddOn],
    close: door.close,
  };
};
