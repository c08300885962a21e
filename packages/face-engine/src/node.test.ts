import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createNodeFaceEngine } from './node.ts';

it('answers with its own error for an add-on folder whose manifest is damaged', async () => {
  const addOnDirectory = await mkdtemp(join(tmpdir(), 'svc-add-on-'));
  try {
    await writeFile(join(addOnDirectory, 'manifest.json'), '{"format":');
    const failing = createNodeFaceEngine({ addOnDirectory });
    await expect(failing).rejects.toMatchObject({ name: 'FaceError', code: 'model-mismatch' });
  } finally {
    await rm(addOnDirectory, { recursive: true });
  }
});

it('does without a passive check where none is wanted, and not where the one that is named is missing', async () => {
  const failing = createNodeFaceEngine({ addOnDirectory: null, passiveModel: 'minifasnet' });
  await expect(failing).rejects.toMatchObject({ code: 'model-missing' });
  const { engine, runtime, passiveLiveness } = await createNodeFaceEngine({ addOnDirectory: null, passiveModel: null });
  expect(passiveLiveness).toBeNull();
  engine.dispose();
  runtime.dispose();
});

it('serves on LiteRT as well', async () => {
  const options = { addOnDirectory: null, passiveModel: null, runtime: 'litert' } as const;
  const { engine, runtime, passiveLiveness } = await createNodeFaceEngine(options);
  expect([runtime.name, passiveLiveness]).toEqual(['litert', null]);
  engine.dispose();
  runtime.dispose();
});
