// Writes what is made of contract/v1.schema.json; `--check` writes nothing and fails where a file differs.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { packageUrl } from './schema.ts';
import { keyVectors } from './vectors/keys.ts';
import { messageVectors } from './vectors/messages.ts';
import { sessionVectors } from './vectors/sessions.ts';
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

/** JSON with every row of every list of the outermost object on one line. */
function rows(value: object): string {
  const members = Object.entries(value).map(([name, member]) => {
    const list = Array.isArray(member)
      ? `[\n${member.map((row) => JSON.stringify(row)).join(',\n')}\n]`
      : JSON.stringify(member);
    return `${JSON.stringify(name)}: ${list}`;
  });
  return `{\n${members.join(',\n')}\n}\n`;
}

const files: Record<string, string> = {
  ...(await writeNativeTypes()),
  'contract/vectors/messages.json': rows(messageVectors()),
  'contract/vectors/keys.json': rows(keyVectors()),
  'contract/vectors/sessions.json': rows(sessionVectors()),
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
