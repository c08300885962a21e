import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
/** Source folders of the service. */
const FOLDERS = [
  'apps/api',
  'apps/cli',
  ...['protocol', 'core', 'face-engine', 'face-models'].map((p) => `packages/${p}`),
];
const sources = FOLDERS.flatMap((folder) =>
  readdirSync(join(root, folder, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(ts|mjs|cjs)$/.test(name) && !/(\.test\.ts|\.fixture\.ts)$|(^|\/)testing\//.test(name))
    .map((name) => {
      const path = `${folder}/src/${name}`;
      return { path, text: readFileSync(join(root, path), 'utf8') };
    }),
);

const filesWith = (pattern: RegExp) =>
  sources.filter(({ text }) => pattern.test(text)).map(({ path }) => path.replace('apps/api/src/', ''));

/** A call's arguments, from the opening to the closing bracket; brackets in its strings must be balanced. */
function argumentsAt(text: string, start: number): string {
  let depth = 0;
  for (let i = start; i < text.length; i += 1) {
    if (text[i] === '(') depth += 1;
    if (text[i] === ')') depth -= 1;
    if (depth === 0) return text.slice(start + 1, i);
  }
  throw new Error('a call without an end');
}

it('finds the sources', () => {
  expect(sources.length).toBeGreaterThan(250);
  expect(filesWith(/zod/)).toContain('http/operations.ts');
});

it('code is evaluated in one place: the loader of a dependency’s own file', () => {
  const evaluates = /\beval\(|\bnew Function\(|\bFunction\(|node:vm|set(Timeout|Interval|Immediate)\(['"`]/;
  expect(filesWith(evaluates)).toEqual(['packages/face-engine/src/node/tfjs-tflite.ts']);
});

it('a pattern is made in one place, of a number', () => {
  expect(filesWith(/\bRegExp\(/)).toEqual(['packages/protocol/src/common.ts']);
});

it('programs are started for the embedded database and the library of an HSM alone, each with a list of arguments', () => {
  expect(filesWith(/^import (?!type ).*node:child_process/m).sort()).toEqual([
    'crypto/pkcs11.ts',
    'db/embedded/cluster.ts',
    'db/embedded/place.ts',
    'db/embedded/watchdog.ts',
  ]);
  expect(filesWith(/\bexec(Sync)?\(['"`]|\bshell: /)).toEqual([]);
});

it('bodies and queries are read through a schema or not at all', () => {
  expect(filesWith(/\brequest\.(body|query|cookies)\b|\breq\.(body|query|cookies)\b/)).toEqual(['http/query.ts']);
});

it('SHA-256 is the only hash, but for files of others whose publishers name another one', () => {
  const others = /create(Hash|Hmac)\((?!'sha256')|\bhash\((?!'sha256')['"`]|\bhkdf(Sync)?\((?!'sha256')['"`]/;
  expect(filesWith(others)).toEqual(['packages/face-models/src/node/fetch-pinned.ts']);
});

it('no line of the log has a message that is put together', () => {
  const calls = sources.flatMap(({ text }) =>
    [...text.matchAll(/\blogger\.(?:trace|debug|info|warn|error|fatal)(?=\()/g)].map(({ 0: call, index }) =>
      argumentsAt(text, index + call.length),
    ),
  );
  expect(calls.length).toBeGreaterThan(10);
  expect(calls.filter((given) => /`|' \+|\+ '/.test(given))).toEqual([]);
});
