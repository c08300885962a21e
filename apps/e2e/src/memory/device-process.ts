// Separate program: a check-in device with the real engine, controlled by its parent process.

import { setTimeout } from 'node:timers/promises';
import { withMiniFasNet } from '@svc/benchmarks/inputs/engine';
import { answerParent } from '@svc/benchmarks/inputs/program';
import type { Camera, CheckInDevice, Prompt, Region } from '@svc/device-sdk';
import { createNodeCheckInDevice } from '@svc/device-sdk-node';
import { createNodeFaceEngine, type NodeFaceEngine } from '@svc/face-engine/node';
import { ticketOf } from '../support/guests.ts';
import { steadyCamera } from '../support/scenarios.ts';

export interface DeviceTask {
  readonly deviceToken: string;
  readonly region: Region;
  readonly directory: string;
  readonly addOnDirectory: string | null;
}

let made: NodeFaceEngine;
let device: CheckInDevice;
let pause: () => void = () => undefined;
let resume: () => void = () => undefined;
/** Kept on purpose by a test. */
const kept: Buffer[] = [];

/** The visitor's camera, which pauses after a turn was asked for. */
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
  },
  sync: () => device.syncAsync(),
  /** Anna at the door, whose attempt waits for `resume` once a turn was asked for; or a stranger with her ticket. */
  async visit(who: 'anna pauses' | 'stranger'): Promise<string> {
    const camera = who === 'stranger' ? steadyCamera('stranger') : pausing(steadyCamera('anna'));
    const { outcome, reason } = await device.verifyLiveAsync(ticketOf('anna'), camera);
    return `${outcome}/${reason}`;
  },
  /** Resolves when the attempt has paused. */
  paused: () =>
    new Promise<void>((resolve) => {
      pause = resolve;
    }),
  resume: () => resume(),
  /** Runs attempts of Anna. @returns how many matched, and JavaScript's memory in use afterwards, in bytes */
  async batch(count: number) {
    let matches = 0;
    for (let i = 0; i < count; i += 1) {
      const { outcome } = await device.verifyLiveAsync(ticketOf('anna'), steadyCamera('anna'));
      if (outcome === 'Match') matches += 1;
    }
    return { matches, inUse: await memoryInUse() };
  },
  /** Hex; kept until the program ends. */
  plant(hex: readonly string[]): void {
    kept.push(...hex.map((text) => Buffer.from(text, 'hex')));
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
async function memoryInUse(): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0, settled = 0; round < MOST_ROUNDS && settled < SETTLED_ROUNDS; round += 1) {
    globalThis.gc?.();
    await setTimeout(ROUND_MS);
    const { heapUsed, external } = process.memoryUsage();
    settled = heapUsed + external > least - NOTHING_MORE ? settled + 1 : 0;
    least = Math.min(least, heapUsed + external);
  }
  return least;
}

answerParent(actions);
