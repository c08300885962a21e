// Separate program: a check-in device that goes through its whole life, and counts its process's network operations.

import { createHook } from 'node:async_hooks';
import type { Camera, CheckInDevice } from '@svc/device-sdk';
import { createNodeCheckInDevice } from '@svc/device-sdk-node';
import { minifasnetCalibration, type PassiveLiveness } from '@svc/face-engine';
import { createNodeFaceEngine } from '@svc/face-engine/node';
import { DAY_MS } from '@svc/protocol';
import { FilmedVisitor } from '../memory/filmed-visitor.ts';
import { guests } from '../support/guests.ts';
import { answerParent } from '../support/program.ts';

export interface WiredTask {
  readonly deviceToken: string;
  readonly region: { readonly baseUrl: string; readonly signingKeys: readonly [string] };
  readonly directory: string;
  readonly personId: string;
  readonly unknownId: string;
  readonly attemptsEach: number;
}

/** All ways out of a Node process that its event loop has: sockets, name look-ups, pipes, other programs. */
const WAYS_OUT =
  /^(TCPCONNECTWRAP|UDPWRAP|UDPSENDWRAP|GETADDRINFOREQWRAP|GETNAMEINFOREQWRAP|QUERYWRAP|PIPECONNECTWRAP|PROCESSWRAP|WORKER)$/;
const reached: Record<string, number> = {};
const outcomes: Record<string, number> = {};

const noFrames: Camera = { timing: 'recorded', prompt: () => undefined, async *frames() {} };
const FPS = 4;

const { engine } = await createNodeFaceEngine({ addOnDirectory: null });
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

const open = ({ deviceToken, region, directory }: WiredTask) =>
  createNodeCheckInDevice({ deviceToken, region, directory, engine: { engine, passiveLiveness } });

async function visits(
  device: CheckInDevice,
  { attemptsEach, personId }: WiredTask,
  { camera = () => anna.camera(FPS), scannedId = personId }: { camera?: () => Camera; scannedId?: string } = {},
): Promise<void> {
  for (let i = 0; i < attemptsEach; i += 1) {
    const { outcome } = await device.verifyLiveAsync(scannedId, camera());
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  }
}

async function sync(device: CheckInDevice): Promise<string> {
  const result = await device.syncAsync();
  if (!result.ok) throw new Error(`the sync failed: ${result.reason}`);
  return result.outcome;
}

let gate: CheckInDevice;

const actions = {
  /** Every outcome but that of the deadline, until the device is about to be revoked. */
  async serve(task: WiredTask): Promise<void> {
    gate = await open(task);
    await visits(gate, task);
    await sync(gate);
    await visits(gate, task);
    await visits(gate, task, { camera: () => stranger.camera(FPS) });
    await visits(gate, task, { scannedId: task.unknownId });
    await visits(gate, task, { camera: () => noFrames });
    await visits(gate, task, { camera: () => anna.camera(FPS, 'wrong-way') });
    liveScore = 0;
    await visits(gate, task);
    liveScore = 1;
    await sync(gate);
  },
  async beWiped(): Promise<void> {
    if ((await sync(gate)) !== 'wiped') throw new Error('not wiped');
    await gate.dispose();
  },
  /** Another device, whose list's deadline comes. @returns how often each outcome came, and each way out was taken */
  async reachDeadline(task: WiredTask) {
    const door = await open(task);
    await sync(door);
    const { now } = Date;
    Date.now = () => now() + 3 * DAY_MS;
    await visits(door, task);
    await door.dispose();
    return { outcomes, reached };
  },
};
export type WiredDevice = typeof actions;
answerParent(actions);
