/** Entry of the real service with fake inference: a photo's text is its content. */
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { runService } from '../../compose/service-process.ts';
import { createFakeInference } from '../fake-inference.ts';

const LONGEST_PHOTO_MS = 30;

/** A file with the milliseconds by which this node's clock is ahead. */
const { SVC_TEST_CLOCK_FILE: file } = process.env;
const clock = { now: () => Date.now() + (file === undefined ? 0 : Number(readFileSync(file, 'utf8'))) };

function createInference() {
  const inference = createFakeInference();
  // Photos take different times, so that a kill may fall into any of them.
  setInterval(() => {
    inference.hold = sleep(Math.random() * LONGEST_PHOTO_MS);
  }, LONGEST_PHOTO_MS).unref();
  return inference;
}

runService({ createInference, clock });
