// Separate program: a check-in device with the real engine, controlled by its parent process.

import { closeSync, openSync, writeSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { withMiniFasNet } from '@svc/benchmarks/inputs/engine';
import type { Camera, CheckInDevice, Prompt, Region } from '@svc/device-sdk';
import { createNodeCheckInDevice } from '@svc/device-sdk-node';
import { createNodeFaceEngine, type NodeFaceEngine } from '@svc/face-engine/node';
import { guests, ticketOf } from '../support/guests.ts';
import { answerParent } from '../support/program.ts';
import { FilmedVisitor } from './filmed-visitor.ts';
import { readNeedles } from './needles.ts';

/** Every WebAssembly memory created after {@link noteWasmMemories}. */
const memories = new Set<WebAssembly.Memory>();

function note(exports: WebAssembly.Exports): void {
  for (const value of Object.values(exports)) if (value instanceof WebAssembly.Memory) memories.add(value);
}

/**
 * Call before anything is instantiated: wraps the two functions with which the core and the runtimes create memories.
 */
function noteWasmMemories(): void {
  const { instantiate, Instance, Memory } = WebAssembly;
  WebAssembly.instantiate = (async (source: BufferSource, imports?: WebAssembly.Imports) => {
    const made = await instantiate(source, imports);
    note(made.instance?.exports ?? (made as unknown as WebAssembly.Instance).exports);
    return made;
  }) as typeof WebAssembly.instantiate;
  WebAssembly.Instance = new Proxy(Instance, {
    construct(target, given) {
      const made = Reflect.construct(target, given) as WebAssembly.Instance;
      note(made.exports);
      return made;
    },
  });
  WebAssembly.Memory = new Proxy(Memory, {
    construct(target, given) {
      const made = Reflect.construct(target, given) as WebAssembly.Memory;
      memories.add(made);
      return made;
    },
  });
}

/** Writes all of them to one file, without a copy in this process. @returns their number */
function dumpWasmMemories(path: string): number {
  const file = openSync(path, 'w', 0o600);
  for (const { buffer } of memories) {
    for (let at = 0; at < buffer.byteLength; ) at += writeSync(file, new Uint8Array(buffer), at);
  }
  closeSync(file);
  return memories.size;
}

/** Puts bytes at the end of each of them, where nothing else is. */
function plantInWasmMemories(planted: readonly Uint8Array[]): void {
  for (const { buffer } of memories) {
    let end = buffer.byteLength;
    for (const bytes of planted) {
      end -= bytes.length;
      new Uint8Array(buffer).set(bytes, end);
    }
  }
}

noteWasmMemories();

const FPS = 4;

export interface DeviceTask {
  readonly deviceToken: string;
  readonly region: Region;
  readonly directory: string;
  readonly addOnDirectory: string | null;
  /** Folder of the frames rendered by this run's processes. */
  readonly films: string;
}

let made: NodeFaceEngine;
let device: CheckInDevice;
let visitor: FilmedVisitor;
let stranger: FilmedVisitor;
let attempts = 0;
let pause: () => void = () => undefined;
let resume: () => void = () => undefined;
/** Kept on purpose by a test. */
const kept: Uint8Array[] = [];

/** The visitor's camera, which can be paused after a turn was asked for. */
function pausing(camera: Camera): Camera {
  let isAsked = false;
  return {
    ...camera,
    prompt(prompt: Prompt) {
      isAsked ||= prompt.key === 'turn-head';
      camera.prompt(prompt);
    },
    async *frames(signal) {
      let hasPaused = false;
      for await (const frame of camera.frames(signal)) {
        if (isAsked && !hasPaused) {
          hasPaused = true;
          await new Promise<void>((resolve) => {
            resume = resolve;
            pause();
          });
        }
        yield frame;
      }
    },
  };
}

const actions = {
  async open(task: DeviceTask): Promise<void> {
    made = await createNodeFaceEngine(withMiniFasNet(task.addOnDirectory));
    device = await createNodeCheckInDevice({
      ...{ deviceToken: task.deviceToken, region: task.region, directory: task.directory, engine: made },
      ...(made.passiveLiveness === null ? { passiveLiveness: 'absent-staff-in-view' } : {}),
    });
    [visitor, stranger] = [new FilmedVisitor(guests.anna, task.films), new FilmedVisitor(guests.stranger, task.films)];
  },
  sync: () => device.syncAsync(),
  /** Anna at the door, whose attempt waits for `resume` once a turn was asked for; or a stranger with her ticket. */
  async visit(who: 'anna' | 'anna pauses' | 'stranger'): Promise<string> {
    const camera = (who === 'stranger' ? stranger : visitor).camera(FPS);
    const shown = who === 'anna pauses' ? pausing(camera) : camera;
    const { outcome, reason } = await device.verifyLiveAsync(ticketOf('anna'), shown);
    return `${outcome}/${reason}`;
  },
  /** Resolves when the attempt has paused. */
  paused: () =>
    new Promise<void>((resolve) => {
      pause = resolve;
    }),
  resume: () => resume(),
  /** Runs attempts, collects garbage and measures the memory. */
  async batch(count: number) {
    let matches = 0;
    for (let i = 0; i < count; i += 1) {
      const { outcome } = await device.verifyLiveAsync(ticketOf('anna'), visitor.camera(FPS));
      if (outcome === 'Match') matches += 1;
    }
    attempts += count;
    // Frames rendered for the test: a side that is turned to for the first time adds some.
    const { rss, live } = await measure();
    const films = visitor.bytes;
    return { attempts, matches, rss: rss - films, live: live - films, framesRendered: visitor.frames };
  },
  dumpWasm: (path: string) => dumpWasmMemories(path),
  plant(needles: string, names: readonly string[]): void {
    const planted = readNeedles(needles).flatMap(({ name, bytes }) => (names.includes(name) ? [bytes] : []));
    kept.push(...planted);
    plantInWasmMemories(planted);
  },
  async dispose(): Promise<void> {
    await device.dispose();
    made.passiveLiveness?.dispose();
    made.engine.dispose();
    made.runtime.dispose();
  },
};
export type DeviceProcess = typeof actions;

/** Rounds of collection without any release, after which the rest counts as in use. */
const SETTLED_ROUNDS = 3;
const MOST_ROUNDS = 40;
const ROUND_MS = 20;
/** Changes below this are caused by the round itself, bytes. */
const NOTHING_MORE = 16_384;

/**
 * Collects garbage until no more memory is released: the next round frees what one finalises, and buffers are swept by
 * a slow thread. An unswept frame is a mebibyte or more and would look like growth.
 */
async function measure(): Promise<{ readonly rss: number; readonly live: number }> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0, settled = 0; round < MOST_ROUNDS && settled < SETTLED_ROUNDS; round += 1) {
    globalThis.gc?.();
    await setTimeout(ROUND_MS);
    const { heapUsed, external } = process.memoryUsage();
    settled = heapUsed + external > least - NOTHING_MORE ? settled + 1 : 0;
    least = Math.min(least, heapUsed + external);
  }
  return { rss: process.memoryUsage.rss(), live: least };
}

answerParent(actions);
