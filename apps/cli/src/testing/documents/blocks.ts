import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../../../../', import.meta.url));
export const git = (...args: readonly string[]): string =>
  spawnSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26 }).stdout;

/** A fenced block of a document. */
export type Block = Readonly<ReturnType<typeof blocksOf>[number]>;

/** @returns each block, with the word after its fence, and a second one that is for the test alone */
function blocksOf(file: string) {
  const document = readFileSync(join(root, file), 'utf8');
  return [...document.matchAll(/^( *)```([^\s`]*) ?([^\n]*)\n(.*?)^ *```$/gms)].map(
    ({ 1: indent = '', 2: language = '', 3: mark = '', 4: block = '', index }) => {
      const text = block.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
      return { file, line: document.slice(0, index).split('\n').length, language, mark, text };
    },
  );
}

const documents = git('ls-files', '*.md', ':!*CHANGELOG.md', ':!.changeset').trim().split('\n');
export const blocks: readonly Block[] = documents.flatMap(blocksOf);
