import { deepEqual, equal, ok } from 'node:assert/strict';
import { findChromium } from '@svc/device-sdk-web/testing';
import { median, quantile } from '../../inputs/summary.ts';
import type { Door, Visit } from '../attempt/door.ts';
import { Film } from '../attempt/film.ts';
import { openDoors } from '../attempt/open-doors.ts';
import { type AttemptTimes, computingMs, latencyMs } from '../attempt/time-attempt.ts';
import { FRAME_MS, FRAMES_PER_S } from '../attempt/visitor.ts';
import { withoutAddOn } from '../inputs/engines.ts';
import { holdToOneCore } from '../inputs/one-core.ts';
import { frameHeight, frameWidth } from '../inputs/photo.ts';
import { duration } from '../report.ts';
import type { Bar, BenchCase, Spread, SuiteFactory } from '../suite.ts';

const windowMs = 10_000;
/** Maximum time of a verification from its last frame to the result, relative to one frame of Human. */
const mostOfHuman = 0.5;
const withoutChromium = 'attempts in Chromium: there is none here (SVC_CHROMIUM names one)';

/** Measurements at one door, with or without the passive check. */
interface Series {
  readonly door: Door;
  readonly passive: boolean;
  readonly name: string;
  readonly attempts: AttemptTimes[];
}

const framesOf = ({ attempts }: Series): readonly number[] => attempts.flatMap(({ frames }) => frames.map(computingMs));
const p95 = (values: readonly number[]): number => quantile(values, 0.95);

/** Whole attempts of genuine guests, frame by frame, on a device in Node and in a page. */
export const createSuite: SuiteFactory = async (scale) => {
  const isFull = scale === 'full';
  const onOneCore = isFull ? holdToOneCore() : null;
  const people = isFull ? 3 : 1;
  const directions = isFull ? (['left', 'right'] as const) : (['left'] as const);
  const visits = directions.flatMap((direction) =>
    Array.from({ length: people }, (_, person) => ({ person, direction })),
  );
  const chromium = findChromium();
  const { doors, variants, close } = await openDoors({
    film: new Film(),
    people,
    withoutPassiveToo: isFull,
    executablePath: chromium,
    ...(onOneCore === null ? {} : { start: onOneCore }),
  });
  const hasPassive = variants.includes(true);
  const series = doors.flatMap((door) =>
    variants.map((passive): Series => {
      const name = `${door.where}, ${passive ? 'with' : 'without'} the passive check`;
      return { door, passive, name, attempts: [] };
    }),
  );
  const humanMs = new Map<Door, number[]>(doors.map((door) => [door, []]));
  const ofHuman = (door: Door): readonly number[] => humanMs.get(door) ?? [];

  async function attempt(door: Door, visit: Visit): Promise<AttemptTimes> {
    const times = await door.attempt(visit);
    equal(times.ended, 'Match/verified');
    equal(times.frames.length, times.counts.framesAnalysed);
    return times;
  }
  /** The steps of an attempt, which are the same on both platforms. */
  const courses = new Map<string, AttemptTimes['counts']>();
  const attemptCase = ({ door, passive, name, attempts }: Series): BenchCase => ({
    name: `${name}: a whole attempt`,
    run: async () => {
      const visit = visits[attempts.length % visits.length];
      if (visit !== undefined) attempts.push(await attempt(door, { ...visit, passive }));
    },
    check: async () => {
      for (const visit of visits) {
        const { counts } = await attempt(door, { ...visit, passive });
        const key = JSON.stringify({ ...visit, passive });
        deepEqual(counts, courses.get(key) ?? counts, 'every device sees the same attempt');
        courses.set(key, counts);
      }
    },
  });
  const humanCase = (door: Door): BenchCase => ({
    name: `${door.where}: one frame of Human`,
    run: async () => humanMs.get(door)?.push(await door.human()),
    check: async () => ok((await door.human()) > 0),
  });

  const readings = new Map<Door, number[]>(doors.map((door) => [door, []]));
  const readingsOf = (door: Door): readonly number[] => readings.get(door) ?? [];
  const readingCases = (door: Door): readonly BenchCase[] => {
    const read = door.readVideo;
    if (read === undefined) return [];
    return [
      {
        name: `${door.where}: a video started, and a frame read out of it`,
        run: async () => readings.get(door)?.push(await read()),
        check: async () => ok((await read()) >= 0),
      },
    ];
  };
  /** 95th percentile of the frames, including the time to get one. */
  const frameP95 = (each: Series): number => {
    const reading = readingsOf(each.door);
    return p95(framesOf(each)) + (reading.length === 0 ? 0 : p95(reading));
  };

  const spreads = (): readonly Spread[] => [
    ...series.flatMap((each) => [
      { name: `${each.name}: a frame`, values: framesOf(each) },
      { name: `${each.name}: from the last frame to the result`, values: each.attempts.map(latencyMs) },
      { name: `${each.name}: admission, lookup, opening`, values: each.attempts.map(({ openingMs }) => openingMs) },
    ]),
    ...doors.flatMap((door) => [
      ...(door.readVideo ? [{ name: `${door.where}: a frame read out of a video`, values: readingsOf(door) }] : []),
      { name: `${door.where}: one frame of Human`, values: ofHuman(door) },
    ]),
  ];
  const bars = (): readonly Bar[] =>
    series.flatMap((each): Bar[] => [
      {
        name: `${each.name}: 95 of 100 frames compute within`,
        value: frameP95(each),
        atMost: FRAME_MS,
        unit: 'ms',
      },
      {
        name: `${each.name}: 95 of 100 results after the last frame within, in frames of Human`,
        value: p95(each.attempts.map(latencyMs)) / median(ofHuman(each.door)),
        atMost: mostOfHuman,
        unit: '×',
      },
    ]);

  const shareOf = (each: Series): string => {
    const sums = each.attempts.map(({ frames }) => frames.reduce((sum, frame) => sum + computingMs(frame), 0));
    const spans = each.attempts.map((times) => (times.frames.at(-1)?.atMs ?? 0) + latencyMs(times));
    const counts = each.attempts.map(({ frames }) => frames.length);
    return `${median(counts).toFixed(0)} frames, ${duration(median(spans))} from the first to the result, computing ${duration(median(sums))}: ${((100 * median(sums)) / windowMs).toFixed(0)} % of the window`;
  };
  const cores = onOneCore
    ? 'Node is held to one core by taskset, and Chromium with all its processes to another, so that what serves the frames takes nothing from it'
    : 'Not held to one core: taskset could not do it';
  return {
    title: 'Attempts',
    about: `Genuine visits of ${people} rendered people, each ${directions.join(' and ')}: ${frameWidth}×${frameHeight} at ${FRAMES_PER_S} frames a second, looking ahead, turning when asked, looking back; a device of the SDK that has synced and has the default engine lets them in. Every frame is looked at, at the time that it has, so all devices see the very same attempt, whose every end is checked: a match. A frame's time runs from its arrival until the next one is asked for, that of the last until the result, the device's last look at its stored list included. What frames compute is processor time of all threads: of the process, or in Chromium, where a page has the device and a worker its engine, of the renderer (by the clock where an operating system does not tell it); from the last frame to the result is by the clock. Making the frame is not in it; what it takes a page to read one out of a video is timed by itself and added in the bar. Human has detector, mesh, description, antispoof and liveness on WebAssembly, one thread, in the same process or browser, in turn with the attempts. ${cores}. «A whole attempt» is frame after frame without the waiting between them, in Chromium with the way of each frame to the page.`,
    cases: [...series.map(attemptCase), ...doors.flatMap(readingCases), ...doors.map(humanCase)],
    ratios: [],
    figures: series.map((each) => ({ name: each.name, text: () => shareOf(each) })),
    beginMeasuring() {
      for (const { attempts } of series) attempts.length = 0;
      for (const values of [...humanMs.values(), ...readings.values()]) values.length = 0;
    },
    spreads,
    bars,
    rounds: isFull ? 60 : 1,
    batchMs: 1,
    clock: 'wall',
    skipped: [...(hasPassive ? [] : [withoutAddOn]), ...(chromium === null ? [withoutChromium] : [])],
    close,
  };
};
