import { spawn, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const cwd = fileURLToPath(new URL('../../training/', import.meta.url));
const python = process.env.PYTHON ?? '/usr/bin/python3';
const options = { cwd, env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1', OMP_NUM_THREADS: '1' } };
const hasTorch = spawnSync(python, ['-c', 'import torch, numpy, PIL, av'], options).status === 0;
if (!hasTorch) process.stdout.write('the training’s own tests: skipped: no PyTorch (training/README.md)\n');

describe.skipIf(!hasTorch)('the training of presence', () => {
  it('passes its tests', async () => {
    const child = spawn(python, ['-m', 'unittest', 'discover', 'tests'], {
      ...options,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let told = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        told += text;
      });
    const code = await new Promise((resolve) => child.once('close', resolve));
    expect(code, told).toBe(0);
    expect(Number(/Ran (\d+) tests/.exec(told)?.[1]), told).toBeGreaterThan(0);
    // Takes 20 seconds of processor time, more on a shared machine.
  }, 300_000);
});
