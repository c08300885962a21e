// Writes what is made of contract/v1.schema.json; `--check` writes nothing and fails where a file differs.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { packageUrl } from './schema.ts';
import { writeNativeTypes } from './write-native.ts';
import { writeDefinitions, writeTypes } from './write-typescript.ts';

/** Formats as `npm run format` does. */
function formatted(path: string, text: string): string {
  const biome = fileURLToPath(new URL('../../node_modules/.bin/biome', packageUrl));
  const { status, stdout, stderr } = spawnSync(biome, ['format', `--stdin-file-path=${path}`], {
    input: text,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${path}: ${stderr}`);
  return stdout;
}

const files: Record<string, string> = {
  ...(await writeNativeTypes()),
  'src/messages.ts': formatted('messages.ts', writeTypes()),
  'src/definitions.ts': formatted('definitions.ts', writeDefinitions()),
};

for (const [path, text] of Object.entries(files)) {
  const url = new URL(path, packageUrl);
  if (existsSync(url) && readFileSync(url, 'utf8') === text) continue;
  if (process.argv.includes('--check')) {
    process.stdout.write(`${path} is not what the schema gives: pnpm --filter @svc/device-sdk-native generate\n`);
    process.exitCode = 1;
  } else {
    mkdirSync(new URL('./', url), { recursive: true });
    writeFileSync(url, text);
  }
}
