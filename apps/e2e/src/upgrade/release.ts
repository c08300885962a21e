import { type ChildProcess, execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { VerificationOutcome } from '@svc/device-sdk';
import type { DeviceTask } from './device-program.ts';

const fromSource = ['--conditions=svc-source', '--import', 'tsx'];
const WORKSPACE = fileURLToPath(new URL('../../../..', import.meta.url));

/** A device of one release. */
export interface ReleasedDevice {
  sync(): Promise<{
    readonly ok: boolean;
    readonly outcome?: string;
    readonly reason?: string;
    readonly people?: number;
  }>;
  status(): Promise<{ readonly ready: boolean; readonly people: number; readonly erased: string | null }>;
  visit(scannedId: string, seed: number): Promise<{ readonly outcome: VerificationOutcome; readonly reason: unknown }>;
  close(): Promise<void>;
}

/** The devices of one release, in a process that has its SDK. */
export interface DeviceHost {
  open(name: string, o: Omit<Extract<DeviceTask, { act: 'open' }>, 'act' | 'device'>): Promise<ReleasedDevice>;
  stop(): Promise<void>;
}

/** A release as it lies in a folder, built. */
export interface Release {
  /** Program of the service. */
  readonly program: string;
  /** Runs its `svc`. @returns the standard output */
  svc(environment: Readonly<Record<string, string>>, ...args: string[]): Promise<string>;
  /** @param frames folder for the frames that visitors have been drawn in */
  hostDevices(frames: string): Promise<DeviceHost>;
}

function releaseIn(folder: string): Release {
  return {
    program: join(folder, 'apps/api/dist/main.js'),
    async svc(environment, ...args) {
      const options = { cwd: join(folder, 'apps/cli'), env: { PATH: process.env.PATH, ...environment } };
      const { stdout } = await promisify(execFile)(process.execPath, [...fromSource, 'src/main.ts', ...args], options);
      return stdout.trim();
    },
    async hostDevices(frames) {
      const program = fileURLToPath(new URL('device-program.ts', import.meta.url));
      const child = fork(program, [folder, frames], { execArgv: fromSource });
      return hostOf(child);
    },
  };
}

/** This release: `npm run test:long` builds it before. */
export const presentRelease = releaseIn(WORKSPACE);

/** The former release, which `npm run test:long` builds too; null where it could not. */
export const formerRelease = process.env.SVC_TEST_FORMER_RELEASE
  ? releaseIn(process.env.SVC_TEST_FORMER_RELEASE)
  : null;

interface Reply {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: string;
}

async function hostOf(child: ChildProcess): Promise<DeviceHost> {
  const waiting = new Map<number, (reply: Reply) => void>();
  let asked = 0;
  const begun = new Promise<Reply>((resolve) => waiting.set(0, resolve));
  child.on('message', (reply: Reply) => waiting.get(reply.id)?.(reply));
  child.on('exit', () => {
    for (const [id, settle] of waiting) settle({ id, error: 'the devices’ process ended' });
  });
  async function ask<T>(task: DeviceTask): Promise<T> {
    asked += 1;
    const id = asked;
    const reply = await new Promise<Reply>((resolve) => {
      waiting.set(id, resolve);
      child.send({ id, task });
    });
    waiting.delete(id);
    if (reply.error !== undefined) throw new Error(reply.error);
    return reply.result as T;
  }
  const { error } = await begun;
  if (error !== undefined) throw new Error(error);
  return {
    async open(device, o) {
      await ask({ act: 'open', device, ...o });
      return {
        sync: () => ask({ act: 'sync', device }),
        status: () => ask({ act: 'status', device }),
        visit: (scannedId, seed) => ask({ act: 'visit', device, scannedId, seed }),
        close: () => ask({ act: 'close', device }),
      };
    },
    async stop() {
      if (child.exitCode !== null) return;
      const ended = once(child, 'exit');
      child.disconnect();
      child.kill('SIGTERM');
      await ended;
    },
  };
}
