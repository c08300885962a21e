// Separate program: a check-in device that goes through its whole life, and counts its process's network operations.

import { createHook } from 'node:async_hooks';
import type { Camera, VerificationResult } from '@svc/device-sdk';
import { createNodeCheckInDevice } from '@svc/device-sdk-node';
import { minifasnetCalibration, type PassiveLiveness } from '@svc/face-engine';
import { createNodeFaceEngine } from '@svc/face-engine/node';
import { DAY_MS } from '@svc/protocol';
import { guests } from '../demo/scenarios.ts';
import { FilmedVisitor } from '../memory/filmed-visitor.ts';

export interface WiredTask {
  readonly region: { readonly baseUrl: string; readonly signingKeys: readonly [string] };
  readonly directory: string;
  /** Tokens of the device that is revoked, and of the one that reaches its list's deadline. */
  readonly tokens: readonly [revoked: string, deadline: string];
  readonly personId: string;
  readonly unknownId: string;
  readonly attemptsEach: number;
}

/** Results of the device's life. */
export interface WiredLife {
  readonly outcomes: Readonly<Record<string, number>>;
  /** Kinds of libuv handles and requests that leave the process, and how many were made. */
  readonly reached: Readonly<Record<string, number>>;
}

/** All ways out of a Node process that its event loop has: sockets, name look-ups, pipes, other programs. */
const WAYS_OUT =
  /^(TCPCONNECTWRAP|UDPWRAP|UDPSENDWRAP|GETADDRINFOREQWRAP|GETNAMEINFOREQWRAP|QUERYWRAP|PIPECONNECTWRAP|PROCESSWRAP|WORKER)$/;
const reached: Record<string, number> = {};
const outcomes: Record<string, number> = {};

const noFrames: Camera = { timing: 'recorded', prompt: () => undefined, async *frames() {} };
const FPS = 4;

async function live(task: WiredTask): Promise<WiredLife> {
  const { engine, runtime } = await createNodeFaceEngine({ addOnDirectory: null });
  let liveScore = 1;
  // Which model detects an attack is tested elsewhere; here the result is set.
  const passiveLiveness: PassiveLiveness = {
    name: minifasnetCalibration.model,
    calibration: minifasnetCalibration,
    score: async () => liveScore,
    dispose: () => undefined,
  };
  const anna = new FilmedVisitor(guests.anna);
  const stranger = new FilmedVisitor(guests.stranger);

  createHook({
    init: (_id, type) => {
      if (WAYS_OUT.test(type)) reached[type] = (reached[type] ?? 0) + 1;
    },
  }).enable();

  const open = (deviceToken: string, folder: string) =>
    createNodeCheckInDevice({
      deviceToken,
      region: task.region,
      directory: `${task.directory}/${folder}`,
      engine: { engine, passiveLiveness },
    });
  async function visits(device: Awaited<ReturnType<typeof open>>, scannedId: string, camera: () => Camera) {
    for (let i = 0; i < task.attemptsEach; i += 1) {
      const { outcome }: VerificationResult = await device.verifyLiveAsync(scannedId, camera());
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    }
  }
  async function sync(device: Awaited<ReturnType<typeof open>>) {
    const result = await device.syncAsync();
    if (!result.ok) throw new Error(`the sync failed: ${result.reason}`);
    return result;
  }

  const gate = await open(task.tokens[0], 'gate');
  await visits(gate, task.personId, () => anna.camera(FPS));
  await sync(gate);
  await visits(gate, task.personId, () => anna.camera(FPS));
  await visits(gate, task.personId, () => stranger.camera(FPS));
  await visits(gate, task.unknownId, () => anna.camera(FPS));
  await visits(gate, task.personId, () => noFrames);
  await visits(gate, task.personId, () => anna.camera(FPS, 'wrong-way'));
  liveScore = 0;
  await visits(gate, task.personId, () => anna.camera(FPS));
  liveScore = 1;
  await sync(gate);
  await ask('revoke');
  const { outcome } = await sync(gate);
  if (outcome !== 'wiped') throw new Error('not wiped');
  await gate.dispose();

  const door = await open(task.tokens[1], 'door');
  await sync(door);
  const { now } = Date;
  Date.now = () => now() + 3 * DAY_MS;
  await visits(door, task.personId, () => anna.camera(FPS));
  await door.dispose();
  engine.dispose();
  runtime.dispose();
  return { outcomes, reached };
}

/** Asks the parent to do something, and waits for it. */
function ask(what: string): Promise<void> {
  return new Promise((resolve) => {
    process.once('message', () => resolve());
    process.send?.({ ask: what });
  });
}

process.once('message', (task: WiredTask) => {
  live(task).then(
    (life) => process.send?.({ life }, () => process.disconnect()),
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
      process.exit(1);
    },
  );
});
