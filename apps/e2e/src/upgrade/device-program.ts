// Separate program: check-in devices of one release's SDK, which do what the parent asks for, one thing at a time.

import { join } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import type { CheckInDevice } from '@svc/device-sdk';
import { FilmedVisitor } from '../memory/filmed-visitor.ts';

/** What a device is asked to do. */
export type DeviceTask = { readonly device: string } & (
  | {
      readonly act: 'open';
      readonly deviceToken: string;
      readonly region: { readonly baseUrl: string; readonly signingKeys: readonly [string] };
      readonly directory: string;
    }
  | { readonly act: 'sync' | 'status' | 'close' }
  | { readonly act: 'visit'; readonly scannedId: string; readonly seed: number }
);

const FPS = 4;
const [sdkRoot = '', frames = ''] = process.argv.slice(2);
const source = (path: string) => import(pathToFileURL(join(sdkRoot, path)).href);

type NodeSdk = typeof import('@svc/device-sdk-node');
type EngineFactory = typeof import('@svc/face-engine/node');
const { createNodeCheckInDevice }: NodeSdk = await source('packages/device-sdk-node/src/index.ts');
const { createNodeFaceEngine }: EngineFactory = await source('packages/face-engine/src/node.ts');

// One engine for all devices of the process.
const { engine } = await createNodeFaceEngine({ addOnDirectory: null });
const devices = new Map<string, CheckInDevice>();
const visitors = new Map<number, FilmedVisitor>();

function visitorOf(seed: number): FilmedVisitor {
  const known = visitors.get(seed) ?? new FilmedVisitor(seed, frames);
  visitors.set(seed, known);
  return known;
}

async function carryOut(task: DeviceTask): Promise<unknown> {
  if (task.act === 'open') {
    const { deviceToken, region, directory } = task;
    const shared = { engine, passiveLiveness: null };
    const made = { deviceToken, region, directory, engine: shared, passiveLiveness: 'absent-staff-in-view' } as const;
    devices.set(task.device, await createNodeCheckInDevice(made));
    return null;
  }
  const device = devices.get(task.device);
  if (device === undefined) throw new Error(`${task.device} is not open`);
  switch (task.act) {
    case 'sync':
      return device.syncAsync();
    case 'status': {
      const { ready, people, listVersion, erased } = device.status();
      return { ready, people, listVersion, erased };
    }
    case 'visit': {
      const result = await device.verifyLiveAsync(task.scannedId, visitorOf(task.seed).camera(FPS));
      return { outcome: result.outcome, reason: 'reason' in result ? result.reason : null };
    }
    case 'close':
      devices.delete(task.device);
      return device.dispose();
  }
}

process.on('message', ({ id, task }: { readonly id: number; readonly task: DeviceTask }) => {
  carryOut(task).then(
    (result) => process.send?.({ id, result: result ?? null }),
    (error: unknown) => process.send?.({ id, error: error instanceof Error ? error.stack : String(error) }),
  );
});
process.send?.({ id: 0, result: null });
