import { trendOf } from '@svc/benchmarks/statistics/summary';
import type { CheckInDevice, Region } from '@svc/device-sdk';

/** Memory of a process after a batch of attempts and garbage collection. */
export interface MemorySample {
  /** Attempts made until then. */
  readonly attempts: number;
  /** Resident memory, bytes. */
  readonly rss: number;
  /** JavaScript's heap in use and its external memory, bytes. */
  readonly live: number;
}

/** Growth that only many more attempts could tell from none, because allocators keep memory in pieces. */
interface FlatBounds {
  readonly rss: number;
  readonly live: number;
}

/** 4 MiB of resident memory and 512 KiB in use, over all measured attempts. */
const flatBounds: FlatBounds = { rss: 4 * 2 ** 20, live: 2 ** 19 };

/**
 * Flat: the slope's 95 % interval includes 0 or lies below it, or the total growth is under the bound. The first fifth
 * is left out, while caches fill and functions are compiled.
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
  /** The other person. */
  readonly strangerSeed: number;
  readonly fps: number;
  /** Folder of the frames rendered by this run's processes. */
  readonly films: string;
}

/** Commands to the device's process, and its answers. */
export interface DeviceCommands {
  open: { ask: DeviceTask; answer: null };
  sync: { ask: null; answer: Awaited<ReturnType<CheckInDevice['syncAsync']>> };
  /** `pause`: before the frame after the first turn prompt, until `resume`. `stranger`: another person stands there. */
  visit: { ask: { readonly pause: boolean; readonly stranger?: boolean }; answer: string };
  resume: { ask: null; answer: null };
  /** Runs attempts, then collects garbage and measures the memory. `leak`: bytes kept per attempt on purpose. */
  batch: { ask: { readonly attempts: number; readonly leak: number }; answer: Batch };
  dumpWasm: { ask: { readonly path: string }; answer: number };
  plant: { ask: { readonly needles: string; readonly names: readonly string[] }; answer: null };
  dispose: { ask: null; answer: null };
}

export interface Batch extends MemorySample {
  /** Number of attempts by outcome. */
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
  /** -1: the attempt is paused. */
  readonly id: number;
  readonly answer?: unknown;
  readonly error?: string;
}

/** Input for the expected secrets: the list as another device of it gets it. */
export interface ExpectedSecretsTask {
  readonly service: { readonly url: string; readonly signingKey: string; readonly keyId: string };
  readonly token: string;
  readonly listId: string;
  readonly personId: string;
  readonly addOnDirectory: string | null;
  readonly seed: number;
  readonly strangerSeed: number;
  readonly fps: number;
  /** Folder of the frames rendered by this run's processes. */
  readonly films: string;
  /** Output file. */
  readonly needles: string;
}
