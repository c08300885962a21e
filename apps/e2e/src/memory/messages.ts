import { trendOf } from '@svc/benchmarks/statistics/summary';
import type { CheckInDevice, Region } from '@svc/device-sdk';

/** What a process held after a batch of attempts, garbage collected. */
export interface MemorySample {
  /** Attempts made until then. */
  readonly attempts: number;
  /** Resident memory, bytes. */
  readonly rss: number;
  /** JavaScript's heap in use and what lies outside it on its behalf, bytes. */
  readonly live: number;
}

/** Growth that is told from none only by many more attempts: allocators keep what they were given in pieces. */
interface FlatBounds {
  readonly rss: number;
  readonly live: number;
}

/** 4 MiB of resident memory and 512 KiB in use, over all attempts that were looked at. */
const flatBounds: FlatBounds = { rss: 4 * 2 ** 20, live: 2 ** 19 };

/**
 * Flat: the slope's 95 % interval holds 0 or lies below it, or all that it comes to is under the bound. The first fifth
 * is left out: caches fill and functions are compiled.
 */
export function judgeFlatness(samples: readonly MemorySample[], bounds = flatBounds) {
  const settled = samples.slice(Math.ceil(samples.length / 5));
  const judge = (of: keyof FlatBounds) => {
    const trend = trendOf(settled.map((sample) => ({ x: sample.attempts, y: sample[of] })));
    return { ...trend, isFlat: trend.slope - trend.margin <= 0 || trend.growth <= bounds[of] };
  };
  const [rss, live] = [judge('rss'), judge('live')];
  return { rss, live, isFlat: rss.isFlat && live.isFlat };
}

export interface DeviceTask {
  readonly deviceToken: string;
  readonly region: Region;
  readonly directory: string;
  readonly addOnDirectory: string | null;
  readonly personId: string;
  readonly seed: number;
  /** Who is somebody else. */
  readonly strangerSeed: number;
  readonly fps: number;
  /** Folder of the frames that this run's processes have rendered. */
  readonly films: string;
  /** Each frame is analysed once, and the answers are given again from then on. */
  readonly recorded: boolean;
}

/** What the device's process is told to do, and what it answers. */
export interface DeviceCommands {
  open: { ask: DeviceTask; answer: null };
  sync: { ask: null; answer: Awaited<ReturnType<CheckInDevice['syncAsync']>> };
  /**
   * `pause`: before the frame that follows the first turn prompt, until `resume`. `stranger`: somebody else stands
   * there.
   */
  visit: { ask: { readonly pause: boolean; readonly stranger?: boolean }; answer: string };
  resume: { ask: null; answer: null };
  /** Attempts, then garbage is collected and the memory measured. `leak`: bytes kept from each on purpose. */
  batch: { ask: { readonly attempts: number; readonly leak: number }; answer: Batch };
  dumpWasm: { ask: { readonly path: string }; answer: number };
  plant: { ask: { readonly needles: string; readonly names: readonly string[] }; answer: null };
  dispose: { ask: null; answer: null };
}

export interface Batch extends MemorySample {
  /** How often each outcome came. */
  readonly outcomes: Readonly<Record<string, number>>;
  readonly framesAnalysed: number;
  /** Frames rendered so far. */
  readonly framesRendered: number;
}

export type CommandName = keyof DeviceCommands;

export interface Command {
  readonly id: number;
  readonly name: CommandName;
  readonly ask: unknown;
}

export interface Answer {
  /** -1: the attempt stands still. */
  readonly id: number;
  readonly answer?: unknown;
  readonly error?: string;
}

/** What the oracle works on: the list as another device of its own gets it. */
export interface ExpectedSecretsTask {
  readonly service: { readonly url: string; readonly signingKey: string; readonly keyId: string };
  readonly token: string;
  readonly listId: string;
  readonly personId: string;
  readonly addOnDirectory: string | null;
  readonly seed: number;
  readonly strangerSeed: number;
  readonly fps: number;
  /** Folder of the frames that this run's processes have rendered. */
  readonly films: string;
  /** The file that it writes. */
  readonly needles: string;
}
