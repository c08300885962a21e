/** One device in a process of its own, so that its memory can be told: files on disk, the SDK's adapter for Node. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RegionSettings, SyncResult } from '@svc/device-sdk';
import { createFakeEngine } from '@svc/device-sdk/testing';
import { createNodeCheckInDevice } from '@svc/device-sdk-node';
import { answerParent } from '../inputs/program.ts';
import { createDoorTransport, type Exchange } from './door-device.ts';
import { forgetPeak, residentOf } from './resident.ts';

interface OpenDevice {
  readonly token: string;
  readonly region: RegionSettings;
  readonly engineId: string;
  /** Speed of its line; default: as fast as it comes. */
  readonly bytesPerSecond?: number | undefined;
}

/** A sync, and what it cost the device. */
export interface OneSync {
  readonly result: SyncResult;
  readonly ms: number;
  readonly exchange: Exchange | null;
  readonly residentBeforeBytes: number;
  readonly residentMostBytes: number;
  /** Afterwards, once garbage was collected. */
  readonly residentAfterBytes: number;
}

const MAX_SYNC_BYTES = 2 ** 30;
const SYNC_TIMEOUT_MS = 10 * 60_000;
const SETTLE_MS = 100;

const directory = await mkdtemp(join(tmpdir(), 'svc-load-'));
let device: Awaited<ReturnType<typeof createNodeCheckInDevice>> | null = null;
let exchange: Exchange | null = null;

const actions = {
  async open({ token, region, engineId, bytesPerSecond }: OpenDevice): Promise<void> {
    device = await createNodeCheckInDevice({
      ...{ deviceToken: token, region, directory },
      engine: { engine: createFakeEngine([engineId]), passiveLiveness: null },
      passiveLiveness: 'absent-staff-in-view',
      maxSyncBytes: MAX_SYNC_BYTES,
      syncTimeoutMs: SYNC_TIMEOUT_MS,
      transport: createDoorTransport((done) => {
        exchange = { ...done, receivedBytes: done.receivedBytes + (exchange?.receivedBytes ?? 0) };
      }, bytesPerSecond),
    });
  },
  async sync(): Promise<OneSync> {
    if (device === null) throw new Error('no device is open');
    globalThis.gc?.();
    await forgetPeak('self');
    const before = await residentOf('self');
    exchange = null;
    const startedAt = performance.now();
    const result = await device.syncAsync();
    const ms = performance.now() - startedAt;
    const { peak } = await residentOf('self');
    // Memory of buffers goes back a moment after they were collected.
    for (let i = 0; i < 3; i += 1) {
      globalThis.gc?.();
      await sleep(SETTLE_MS);
    }
    const { now } = await residentOf('self');
    return {
      ...{ result, ms, exchange },
      ...{ residentBeforeBytes: before.now, residentMostBytes: peak, residentAfterBytes: now },
    };
  },
  async close(): Promise<void> {
    await device?.dispose();
    await rm(directory, { recursive: true, force: true });
  },
};
export type OneDevice = typeof actions;
answerParent(actions);
