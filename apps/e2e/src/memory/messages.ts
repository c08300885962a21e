import type { CheckInDevice, Region } from '@svc/device-sdk';
import type { MemorySample } from './flatness.ts';

/** A check-in device in a process of its own. */
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
  /** `pause`: before the frame that follows the first turn prompt, until `resume`. `stranger`: somebody else stands there. */
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
export interface OracleTask {
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
