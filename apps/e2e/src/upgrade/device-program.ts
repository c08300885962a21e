// Separate program: check-in devices of one release's SDK, which do what the parent asks for, one thing at a time.

import { join } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { answerParent } from '@svc/benchmarks/inputs/program';
import type { CheckInDevice } from '@svc/device-sdk';
import { type Guest, ticketOf } from '../support/guests.ts';
import { steadyCamera } from '../support/scenarios.ts';

export interface OpenTask {
  readonly deviceToken: string;
  readonly region: { readonly baseUrl: string; readonly signingKeys: readonly [string] };
  readonly directory: string;
}

const [sdkRoot = ''] = process.argv.slice(2);
const source = (path: string) => import(pathToFileURL(join(sdkRoot, path)).href);

type NodeSdk = typeof import('@svc/device-sdk-node');
type EngineFactory = typeof import('@svc/face-engine/node');
const { createNodeCheckInDevice }: NodeSdk = await source('packages/device-sdk-node/src/index.ts');
const { createNodeFaceEngine }: EngineFactory = await source('packages/face-engine/src/node.ts');

// One engine for all devices of the process.
const { engine } = await createNodeFaceEngine({ addOnDirectory: null });
const devices = new Map<string, CheckInDevice>();

function deviceOf(name: string): CheckInDevice {
  const device = devices.get(name);
  if (device === undefined) throw new Error(`${name} is not open`);
  return device;
}

const actions = {
  async open(name: string, task: OpenTask): Promise<void> {
    const shared = { engine: { engine, passiveLiveness: null }, passiveLiveness: 'absent-staff-in-view' } as const;
    devices.set(name, await createNodeCheckInDevice({ ...task, ...shared }));
  },
  sync: (name: string) => deviceOf(name).syncAsync(),
  status: (name: string) => deviceOf(name).status(),
  /** @returns outcome and reason of a guest with a ticket, by default their own */
  async visit(name: string, guest: Guest, scannedId = ticketOf(guest)): Promise<string> {
    const { outcome, reason } = await deviceOf(name).verifyLiveAsync(scannedId, steadyCamera(guest));
    return `${outcome}/${reason}`;
  },
  async close(name: string): Promise<void> {
    await deviceOf(name).dispose();
    devices.delete(name);
  },
};
export type DeviceHost = typeof actions;
answerParent(actions);
