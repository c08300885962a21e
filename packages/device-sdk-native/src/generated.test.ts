import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const folder = fileURLToPath(new URL('..', import.meta.url));
const vectors = ['keys.json', 'messages.json', 'sessions.json'];

const filesIn = (directory: string): string[] =>
  readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    if (/^(node_modules|dist|build|\.\w+)$/.test(entry.name)) return [];
    const path = join(directory, entry.name);
    return entry.isDirectory() ? filesIn(path) : [path];
  });

describe('what is made of the schema', () => {
  it('is what the command writes, in every language', () => {
    const args = ['--conditions=svc-source', '--import', 'tsx', 'scripts/generate.ts', '--check'];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
    expect(`${stdout}${stderr}`).toBe('');
    expect(status).toBe(0);
  });
});

describe('the vectors', () => {
  it('lie in one folder, so that every language reads the same bytes', () => {
    const shells = ['.', '../device-sdk-react-native'].flatMap((path) => filesIn(join(folder, path)));
    const found = shells.filter((path) => vectors.includes(basename(path)) && !path.includes('/contract/vectors/'));
    expect(found).toEqual([]);
  });

  // Flutter and .NET MAUI read results and statuses; keys and dialogues are their shells'.
  it.each([
    ['android', vectors],
    ['ios', vectors],
    ['flutter', ['messages.json']],
    ['maui', ['messages.json']],
  ] as const)('are read by the tests of %s', (shell, expected) => {
    const tests = filesIn(join(folder, shell)).filter(
      (path) => /tests?\//i.test(path) && /\.(kt|swift|dart|cs)$/.test(path),
    );
    const text = tests.map((path) => readFileSync(path, 'utf8')).join('\n');
    const isRead = (name: string) => new RegExp(`["'/]${name.replace('.json', '(\\.json)?')}["'\x60]`).test(text);
    expect(expected.filter((name) => !isRead(name))).toEqual([]);
  });
});
