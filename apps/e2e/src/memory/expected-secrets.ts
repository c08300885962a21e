// Separate program: computes the secrets that must not be found after an attempt, and writes them to a file that the
// searched processes never open.
import { createHmac, hkdfSync } from 'node:crypto';
import { withMiniFasNet } from '@svc/benchmarks/inputs/engine';
import { encodeFloat16 } from '@svc/core';
import { deriveLookupKey, lookupTag, openRecord, parsePack } from '@svc/core/pack';
import { createNodeAead } from '@svc/core/testing/peers';
import { webClock, webTimers } from '@svc/device-sdk/adapters';
import { runAttempt } from '@svc/device-sdk/evaluation';
import type { FaceEngine } from '@svc/face-engine';
import { createNodeFaceEngine } from '@svc/face-engine/node';
import { guests, ticketOf } from '../support/guests.ts';
import { answerParent } from '../support/program.ts';
import { TestDevice } from '../support/test-device.ts';
import { FilmedVisitor } from './filmed-visitor.ts';
import { keyNeedle, type Needle, numberNeedles, writeNeedles } from './needles.ts';

/** The list as another device of it gets it. */
export interface ExpectedSecretsTask {
  readonly service: { readonly url: string; readonly signingKey: string; readonly keyId: string };
  readonly token: string;
  readonly listId: string;
  readonly addOnDirectory: string | null;
  /** Folder of the frames rendered by this run's processes. */
  readonly films: string;
  /** Output file. */
  readonly needles: string;
}

const FPS = 4;
const personId = ticketOf('anna');

/** The padded keys that HMAC (RFC 2104) derives first; as secret as the key. */
const paddedNeedles = (name: string, key: Uint8Array): Needle[] =>
  [0x36, 0x5c].map((pad) =>
    keyNeedle(
      `padded ${name}`,
      key.map((byte) => byte ^ pad),
    ),
  );

/**
 * The list key, the values derived from it for the person, and the template, from the pack as in docs/pack-format.md.
 */
async function recordNeedles(
  task: ExpectedSecretsTask,
): Promise<{ needles: Needle[]; reference: Float32Array; threshold: number }> {
  const { listId } = task;
  const device = new TestDevice(task.service, task.token);
  const answer = await device.sync();
  const listKey = device.openListKey(answer);
  const [epoch] = parsePack(answer.payload).epochs;
  const lookupKey = deriveLookupKey(listKey);
  const record = epoch?.find(lookupTag(lookupKey, personId));
  if (!epoch || !record) throw new Error('not in the pack');
  const reference = await openRecord(createNodeAead(), { listKey, listId, personId, record, ...epoch });
  const field = (bytes: Uint8Array) => Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 255]), bytes]);
  const number = Buffer.alloc(4);
  number.writeUInt32BE(epoch.epoch);
  const info = Buffer.concat(
    [Buffer.from('svc/record/v1'), Buffer.from(listId), number, Buffer.from(personId)].map(field),
  );
  const salt = record.subarray(24, 48);
  const recordKey = new Uint8Array(hkdfSync('sha256', listKey, salt, info, 44)).slice(0, 32);
  const extractedKey = Uint8Array.from(createHmac('sha256', salt).update(listKey).digest());
  const threshold = answer.manifest.epochs[0]?.matchThreshold ?? Number.NaN;
  return {
    reference,
    threshold,
    needles: [
      ...numberNeedles('template', reference, encodeFloat16),
      keyNeedle('list key', listKey),
      keyNeedle('lookup key', lookupKey),
      keyNeedle('record key', recordKey),
      keyNeedle('extracted key', extractedKey),
      ...paddedNeedles('lookup key', lookupKey),
      ...paddedNeedles('extracted key', extractedKey),
    ],
  };
}

/** Part of a face's outline is enough. */
const landmarkNeedle = (landmarks: Float32Array): Needle => ({
  name: 'landmarks f32',
  bytes: new Uint8Array(landmarks.slice(0, 64).buffer),
  elementBytes: 4,
});

/**
 * Every embedding and all landmarks of an attempt with each turn, and of an attempt by another person. Frames are also
 * compared by their mean, so the means are included.
 */
async function attemptNeedles(
  task: ExpectedSecretsTask,
  reference: Float32Array,
  matchThreshold: number,
): Promise<Needle[]> {
  const { engine, passiveLiveness, runtime } = await createNodeFaceEngine(withMiniFasNet(task.addOnDirectory));
  const needles: Needle[] = [];
  let means = 0;
  const watched: FaceEngine = {
    ...engine,
    engineId: engine.engineId,
    prepare: (engineIds) => engine.prepare(engineIds),
    core: {
      ...engine.core,
      // A separate engine computes the norms: the attempt itself normalises means of frames.
      normalise: (vector) => {
        const isDone = engine.core.normalise(vector);
        means += 1;
        needles.push(...numberNeedles('mean probe', vector, encodeFloat16));
        return isDone;
      },
    },
    open: (image) => engine.open(image),
    detect: (image) => engine.detect(image),
    track: async (image, previous) => {
      const face = await engine.track(image, previous);
      if (face !== null) needles.push(landmarkNeedle(face.landmarks));
      return face;
    },
    analyse: (image, detection) => engine.analyse(image, detection),
    embed: async (image, face, options) => {
      const probe = await engine.embed(image, face, options);
      needles.push(...numberNeedles('probe', probe, encodeFloat16));
      return probe;
    },
  };
  const attempt = async (seed: number, direction: 'left' | 'right', expected: string) => {
    const { verdict } = await runAttempt({
      engine: watched,
      passiveLiveness,
      reference,
      engineId: watched.engineId,
      matchThreshold,
      direction,
      camera: new FilmedVisitor(seed, task.films).camera(FPS),
      clock: webClock,
      timers: webTimers,
    });
    if (verdict.outcome !== expected)
      throw new Error(`the expected attempt came to ${verdict.outcome}/${verdict.reason}`);
  };
  await attempt(guests.anna, 'left', 'Match');
  await attempt(guests.anna, 'right', 'Match');
  await attempt(guests.stranger, 'left', 'NoMatch');
  if (means === 0) throw new Error('nobody was compared by a mean');
  passiveLiveness?.dispose();
  engine.dispose();
  runtime.dispose();
  return needles;
}

const actions = {
  async write(task: ExpectedSecretsTask): Promise<void> {
    const { needles, reference, threshold } = await recordNeedles(task);
    writeNeedles(task.needles, [...needles, ...(await attemptNeedles(task, reference, threshold))]);
  },
};
export type ExpectedSecrets = typeof actions;
answerParent(actions);
