import { writeFile } from 'node:fs/promises';
import { encodeJpeg, encodePng, identitySeed, renderHead } from '@svc/synthetic-faces';
import type { Command } from 'commander';
import { CliError } from '../cli-error.ts';
import { remark } from '../output.ts';
import { fromInvocation } from '../paths.ts';
import { wholeNumber } from './options.ts';

interface RenderOptions {
  readonly identity: number;
  readonly out: string;
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
    .description('Draws a selfie of somebody who does not exist, to try the service with.')
    .option('--identity <number>', 'which person, 0 to 199', wholeNumber, 0)
    .requiredOption('--out <file>', 'file to write, .jpg or .png')
    .action(async ({ identity, out }: RenderOptions) => {
      const encode = /\.jpe?g$/i.test(out) ? encodeJpeg : /\.png$/i.test(out) ? encodePng : null;
      if (encode === null) throw new CliError('--out: the name must end in .jpg or .png');
      const photo = await encode(renderHead({ seed: seedOf(identity), width: 960, height: 720 }));
      await writeFile(fromInvocation(out), photo).catch((cause: unknown) => {
        throw new CliError(`${out}: cannot be written`, undefined, { cause });
      });
      remark(`${out}: nobody real`);
    });
}
