/**
 * Entry of a killable node: the API on fake inference, with a clock set by its parent. Loads its modules at once and
 * starts on command, so that loading is not part of the start.
 */
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { startApi } from '../../compose/start-api.ts';
import { readConfig } from '../../config/config.ts';
import type { InferencePool } from '../../inference/port.ts';
import { createFakeInference } from '../fake-inference.ts';
import type { FromNode, ToNode } from './api-nodes.ts';

const LONGEST_PHOTO_MS = 30;
let offsetMs = 0;

const tell = (message: FromNode) => process.send?.(message);

/** Photos take different times, so that a kill may fall into any of them. */
function createUnevenInference(): InferencePool {
  const fake = createFakeInference();
  return {
    isReady: () => true,
    close: () => fake.close(),
    hasRoom: (share) => fake.hasRoom(share),
    drawLogo: (image, share, gone) => fake.drawLogo(image, share, gone),
    admit(share, gone) {
      const admission = fake.admit(share, gone);
      if (admission === null) return null;
      return {
        async seal(task) {
          await sleep(Math.random() * LONGEST_PHOTO_MS);
          return admission.seal(task);
        },
        release: () => admission.release(),
      };
    },
  };
}

async function start(environment: Readonly<Record<string, string>>): Promise<void> {
  const clock = { now: () => Date.now() + offsetMs };
  const api = await startApi(readConfig(environment), { clock, createInference: createUnevenInference });
  tell({ kind: 'listening', url: api.url });
}

process.on('message', (message: ToNode) => {
  if (message.kind === 'clock') {
    offsetMs = message.offsetMs;
    return;
  }
  start(message.environment).catch((error: unknown) => {
    tell({ kind: 'failed', reason: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    process.exit(1);
  });
});
// The parent is gone and no one else would stop this process.
process.on('disconnect', () => process.exit(0));
tell({ kind: 'loaded' });
