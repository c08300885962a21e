import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  encodeJpeg,
  encodePng,
  headTurn,
  identitySeed,
  naturalSway,
  renderClip,
  renderHead,
} from '@svc/synthetic-faces';
import type { Command } from 'commander';
import { CliError } from '../cli-error.ts';
import { remark } from '../output.ts';
import { fromInvocation } from '../paths.ts';
import { wholeNumber } from './options.ts';

interface RenderOptions {
  readonly identity: number;
  readonly out: string;
  readonly visit?: true;
}

/** Frames a second of a visit. */
export const VISIT_FPS = 5;
/** Far enough for what the passive check looks at around the face, and never to be asked to step back. */
const DISTANCE = 1.6;
const TURN = { frontalMs: 0, turnMs: 900, holdMs: 400, returnMs: 500, maxYawDeg: 31 };

/** Draws a visitor for a camera that plays a folder: looking ahead, and turning the head to either side and back. */
async function renderVisit(seed: number, folder: string): Promise<void> {
  const frame = { width: 640, height: 480, fps: VISIT_FPS, head: { seed, distance: DISTANCE } };
  for (const [part, motion, durationMs] of [
    ['.', naturalSway(seed), 800],
    ['left', headTurn('left', TURN), 2_000],
    ['right', headTurn('right', TURN), 2_000],
  ] as const) {
    await mkdir(join(folder, part), { recursive: true });
    let i = 10;
    for (const image of renderClip({ ...frame, motion, durationMs }))
      await writeFile(join(folder, part, `${i++}.jpg`), await encodeJpeg(image));
  }
}

/** The seed of the published identity with this number. @throws CliError if there is none */
function seedOf(identity: number): number {
  try {
    return identitySeed(identity);
  } catch (cause) {
    throw new CliError('--identity: no such rendered person', undefined, { cause });
  }
}

export function registerRender(program: Command): void {
  program
    .command('render')
    .description('Draws a selfie of a person who does not exist, to try out the service.')
    .option('--identity <number>', 'which person, 0 to 199', wholeNumber, 1)
    .option('--visit', 'draw frames of the person in front of a camera instead, for svc visit')
    .requiredOption('--out <file>', 'file to write, .jpg or .png; the folder of a visit')
    .action(async ({ identity, out, visit }: RenderOptions) => {
      const seed = seedOf(identity);
      const encode = /\.jpe?g$/i.test(out) ? encodeJpeg : /\.png$/i.test(out) ? encodePng : null;
      if (encode === null && !visit) throw new CliError('--out: the name must end in .jpg or .png');
      const path = fromInvocation(out);
      const draw = async () =>
        encode === null || visit
          ? renderVisit(seed, path)
          : writeFile(path, await encode(renderHead({ seed, width: 960, height: 720 })));
      await draw().catch((cause: unknown) => {
        throw new CliError(`${out}: cannot be written`, undefined, { cause });
      });
      remark(`${out}: not a real person`);
    });
}
