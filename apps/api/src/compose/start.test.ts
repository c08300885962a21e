import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { startApi } from '../compose.ts';
import { readConfig } from '../config/config.ts';
import { createFakeInference } from '../testing/fake-inference.ts';
import { createLogSink } from '../testing/test-api.ts';

it('loads the models beside the opening of the database, and ends the threads when that fails', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'svc-start-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const close = vi.fn(() => Promise.resolve());
  const createInference = vi.fn(() => ({ ...createFakeInference(), close }));
  const config = readConfig({
    DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/none',
    SVC_DATA_DIR: directory,
    SVC_MODELS_DIR: join(directory, 'models'),
  });
  await expect(startApi(config, { createInference, logDestination: createLogSink() })).rejects.toThrow();
  expect(createInference).toHaveBeenCalledOnce();
  expect(close).toHaveBeenCalledOnce();
});
