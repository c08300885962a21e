import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { testPhoto, testPhotoNames } from '@svc/protocol';
import type { Command } from 'commander';
import { CliError } from '../cli-error.ts';
import { print } from '../output.ts';
import { fromInvocation } from '../paths.ts';

export function registerTestPhotos(program: Command): void {
  program
    .command('test-photos')
    .description('Writes the drawn photos that test accounts accept, named after their outcomes.')
    .argument('<folder>', 'created if missing')
    .action(async (folder: string) => {
      const place = fromInvocation(folder);
      try {
        await mkdir(place, { recursive: true });
        for (const name of testPhotoNames) await writeFile(join(place, `${name}.png`), testPhoto(name));
      } catch (cause) {
        throw new CliError(`${folder}: cannot be written`, undefined, { cause });
      }
      print(testPhotoNames.map((name) => join(folder, `${name}.png`)).join('\n'));
    });
}
