import { execFile } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Program, startProgram } from '@svc/benchmarks/inputs/program';
import type { DeviceHost } from './device-program.ts';

const fromSource = ['--conditions=svc-source', '--import', 'tsx'];
const WORKSPACE = fileURLToPath(new URL('../../../..', import.meta.url));

/** A release as it lies in a folder, built. */
export interface Release {
  /** Program of the service. */
  readonly program: string;
  /** Runs its `svc`. @returns the standard output */
  svc(environment: Readonly<Record<string, string>>, ...args: string[]): Promise<string>;
  /** A process that has its SDK. */
  hostDevices(): Program<DeviceHost>;
}

function releaseIn(folder: string): Release {
  return {
    program: join(folder, 'apps/api/dist/main.js'),
    async svc(environment, ...args) {
      const options = { cwd: join(folder, 'apps/cli'), env: { PATH: process.env.PATH, ...environment } };
      const { stdout } = await promisify(execFile)(process.execPath, [...fromSource, 'src/main.ts', ...args], options);
      return stdout.trim();
    },
    hostDevices: () => startProgram(new URL('device-program.ts', import.meta.url), { args: [folder] }),
  };
}

/** This release: `npm run test:long` builds it before. */
export const presentRelease = releaseIn(WORKSPACE);

/** The former release, which `npm run test:long` builds too; null where it could not. */
export const formerRelease = process.env.SVC_TEST_FORMER_RELEASE
  ? releaseIn(process.env.SVC_TEST_FORMER_RELEASE)
  : null;
