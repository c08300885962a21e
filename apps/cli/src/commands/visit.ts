import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { FaceError } from '@svc/core';
import { createFolderCamera, createNodeCheckInDevice, type Prompt } from '@svc/device-sdk-node';
import type { Command } from 'commander';
import { CliError, exitCodes } from '../cli-error.ts';
import { withAdmin } from '../deployment.ts';
import { print, printJson, remark } from '../output.ts';
import { cameraExtensions, fromInvocation, photosIn } from '../paths.ts';
import { type JsonOption, passiveMissing, positiveNumber } from './options.ts';
import { VISIT_FPS } from './render.ts';

interface Options extends JsonOption {
  readonly deviceToken?: string;
  readonly directory: string;
  readonly frames: string;
  readonly fps: number;
  readonly url: string;
  readonly signingKey?: string;
  readonly staffInView?: true;
}

/** What to do about a sync that failed. */
const syncHelp: Readonly<Record<string, string>> = {
  offline: ': no service responds at --url',
  unauthorised: ': the service does not know this token',
  'device-key-mismatch': ': use the --directory with which the token was first used, or add another device',
};

async function readToken(): Promise<string> {
  if (process.stdin.isTTY) throw new CliError('no --device-token and no token on standard input');
  return (await text(process.stdin)).trim();
}

async function visit(personId: string, o: Options) {
  const frames = fromInvocation(o.frames);
  const turns = ['left', 'right'].map((name) => join(frames, name));
  for (const folder of [frames, ...turns.filter((turn) => existsSync(turn))]) await photosIn(folder, cameraExtensions);
  const signingKeys =
    o.signingKey === undefined ? (await withAdmin(async (admin) => admin.region())).signingKeys : [o.signingKey];
  const device = await createNodeCheckInDevice({
    deviceToken: o.deviceToken ?? (await readToken()),
    region: { baseUrl: o.url, signingKeys },
    directory: fromInvocation(o.directory),
    ...(o.staffInView && { passiveLiveness: 'absent-staff-in-view' }),
  }).catch((error: unknown) => {
    throw FaceError.is(error) && error.code === 'passive-liveness-missing' ? passiveMissing() : error;
  });
  try {
    const sync = await device.syncAsync();
    if (!sync.ok) {
      throw new CliError(`the device cannot sync: ${sync.reason}${syncHelp[sync.reason] ?? ''}`, exitCodes.environment);
    }
    remark(`people on the device: ${device.status().people}`);
    let told = '';
    const onPrompt = ({ key, direction }: Prompt) => {
      const prompt = direction === undefined ? key : `${key} ${direction}`;
      if (prompt !== told) remark(prompt);
      told = prompt;
    };
    const camera = createFolderCamera({ directory: frames, fps: o.fps, onPrompt });
    return await device.verifyLiveAsync(personId, camera);
  } finally {
    await device.dispose();
  }
}

export function registerVisit(program: Command): void {
  program
    .command('visit')
    .summary('a recorded visitor at a device of a running service')
    .description(
      'Syncs a device and verifies recorded frames against the scanned ID, as at a door. Prints the result; exit code 0: Match, 1: any other outcome.',
    )
    .argument('<personId>', 'the scanned ID')
    .option('--device-token <token>', 'as printed by svc device add; default: standard input, hidden from other users')
    .requiredOption('--directory <folder>', 'only for this device: its keys and the encrypted list; created if missing')
    .requiredOption(
      '--frames <folder>',
      'frames (JPEG or PNG) in name order; folders left and right in it have the frames of the head turn',
    )
    .option('--fps <rate>', 'frames per second', positiveNumber, VISIT_FPS)
    .option('--url <address>', 'of the service', `http://127.0.0.1:${process.env.PORT || 3000}`)
    .option(
      '--signing-key <key>',
      'that the device pins, as printed by svc region show; default: that of this deployment',
    )
    .option('--staff-in-view', 'verify without passive liveness, like a device that staff watch')
    .option('--json', 'print JSON')
    .action(async (personId: string, options: Options) => {
      const result = await visit(personId, options);
      if (options.json) printJson(result);
      else print(`${result.outcome} ${result.reason}`);
      if (result.outcome !== 'Match') process.exitCode = exitCodes.negative;
    });
}
