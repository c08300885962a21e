// Separate program: a check-in device with the real engine, controlled by its parent process.

import { closeSync, openSync, writeSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { withMiniFasNet } from '@svc/benchmarks/inputs/engine';
import type { Camera, CheckInDevice, Prompt } from '@svc/device-sdk';
import { createNodeCheckInDevice } from '@svc/device-sdk-node';
import { createNodeFaceEngine, type NodeFaceEngine } from '@svc/face-engine/node';
import { FilmedVisitor } from './filmed-visitor.ts';
import type { Answer, Batch, Command, CommandName, DeviceCommands, DeviceTask } from './messages.ts';
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

interface Opened {
  readonly task: DeviceTask;
  readonly made: NodeFaceEngine;
  readonly device: CheckInDevice;
  readonly visitor: FilmedVisitor;
}

let opened: Opened | null = null;
let attempts = 0;
let resume: () => void = () => undefined;
/** Kept on purpose by a test. */
const kept: Uint8Array[] = [];

const send = (answer: Answer): void => void process.send?.(answer);

function door(): Opened {
  if (opened === null) throw new Error('nothing is open');
  return opened;
}

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
            send({ id: -1 });
          });
        }
        yield frame;
      }
    },
  };
}

const actions: { [N in CommandName]: (ask: DeviceCommands[N]['ask']) => Promise<DeviceCommands[N]['answer']> } = {
  async open(task) {
    const made = await createNodeFaceEngine(withMiniFasNet(task.addOnDirectory));
    const device = await createNodeCheckInDevice({
      deviceToken: task.deviceToken,
      region: task.region,
      directory: task.directory,
      engine: made,
      ...(made.passiveLiveness === null ? { passiveLiveness: 'absent-staff-in-view' } : {}),
    });
    opened = { task, made, device, visitor: new FilmedVisitor(task.seed, task.films) };
    return null;
  },
  sync: () => door().device.syncAsync(),
  async visit({ pause, stranger = false }) {
    const { device, task, visitor } = door();
    const who = stranger ? new FilmedVisitor(task.strangerSeed, task.films) : visitor;
    const camera = who.camera(task.fps);
    const { outcome, reason } = await device.verifyLiveAsync(task.personId, pause ? pausing(camera) : camera);
    return `${outcome}/${reason}`;
  },
  async resume() {
    resume();
    return null;
  },
  async batch({ attempts: count, leak }) {
    const { device, task, visitor } = door();
    const outcomes: Record<string, number> = {};
    let framesAnalysed = 0;
    for (let i = 0; i < count; i += 1) {
      const result = await device.verifyLiveAsync(task.personId, visitor.camera(task.fps));
      const outcome = `${result.outcome}/${result.reason}`;
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      framesAnalysed += result.counts.framesAnalysed;
      if (leak > 0) kept.push(new Uint8Array(leak).fill(1));
    }
    attempts += count;
    // Frames rendered for the test: a side that is turned to for the first time adds some.
    const { rss, live } = await measure();
    const films = visitor.bytes;
    return { attempts, rss: rss - films, live: live - films, outcomes, framesAnalysed, framesRendered: visitor.frames };
  },
  async dumpWasm({ path }) {
    return dumpWasmMemories(path);
  },
  async plant({ needles, names }) {
    const planted = readNeedles(needles).flatMap(({ name, bytes }) => (names.includes(name) ? [bytes] : []));
    kept.push(...planted);
    plantInWasmMemories(planted);
    return null;
  },
  async dispose() {
    const { device, made } = door();
    await device.dispose();
    made.passiveLiveness?.dispose();
    made.engine.dispose();
    made.runtime.dispose();
    return null;
  },
};

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
async function measure(): Promise<Pick<Batch, 'rss' | 'live'>> {
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

process.on('message', ({ id, name, ask }: Command) => {
  const action = actions[name] as (ask: unknown) => Promise<unknown>;
  action(ask).then(
    (answer) => send({ id, answer }),
    (error: unknown) => send({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  );
});
// The parent is gone, and nothing else would end this process.
process.on('disconnect', () => process.exit(0));
