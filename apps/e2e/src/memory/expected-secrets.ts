import { createHmac, hkdfSync } from 'node:crypto';
import { withMiniFasNet } from '@svc/benchmarks/inputs/engine';
import type { SyncDevice } from '@svc/benchmarks/inputs/sync-device';
import { deriveLookupKey, lookupTag, parsePack } from '@svc/core/pack';
import { webClock, webTimers } from '@svc/device-sdk/adapters';
import { runAttempt } from '@svc/device-sdk/evaluation';
import type { FaceEngine } from '@svc/face-engine';
import { createNodeFaceEngine } from '@svc/face-engine/node';
import { type Guest, ticketOf } from '../support/guests.ts';
import { steadyCamera } from '../support/scenarios.ts';
import { keyNeedle, type Needle, numberNeedles } from './needles.ts';

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
 * The list key, the values derived from it for the person, and the template, from the pack as in
 * docs/internals/pack-format.md.
 */
async function recordNeedles(device: SyncDevice, listId: string) {
  const answer = await device.sync();
  const listKey = await device.openListKey(answer);
  const [epoch] = parsePack(answer.payload).epochs;
  const lookupKey = deriveLookupKey(listKey);
  const record = epoch?.find(lookupTag(lookupKey, personId));
  if (!epoch || !record) throw new Error('not in the pack');
  const [reference = new Float32Array()] = await device.openPeople(answer, [personId]);
  const field = (bytes: Uint8Array) => Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 255]), bytes]);
  const number = Buffer.alloc(4);
  number.writeUInt32BE(epoch.epoch);
  const info = Buffer.concat(
    [Buffer.from('svc/record/v1'), Buffer.from(listId), number, Buffer.from(personId)].map(field),
  );
  const salt = record.subarray(24, 48);
  const recordKey = new Uint8Array(hkdfSync('sha256', listKey, salt, info, 44)).slice(0, 32);
  const extractedKey = Uint8Array.from(createHmac('sha256', salt).update(listKey).digest());
  return {
    reference,
    matchThreshold: answer.manifest.epochs[0]?.matchThreshold ?? Number.NaN,
    needles: [
      ...numberNeedles('template', reference),
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
 * What must not be found after an attempt: the template and its keys, every embedding and all landmarks of an attempt
 * with each turn, and of an attempt by another person. Frames are also compared by their mean, so the means are
 * included.
 * @param device another device of the list @param addOnDirectory of the passive check; null for none
 */
export async function expectedSecrets(
  device: SyncDevice,
  listId: string,
  addOnDirectory: string | null,
): Promise<readonly Needle[]> {
  const { needles, reference, matchThreshold } = await recordNeedles(device, listId);
  const { engine, passiveLiveness, runtime } = await createNodeFaceEngine(withMiniFasNet(addOnDirectory));
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
        needles.push(...numberNeedles('mean probe', vector));
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
      needles.push(...numberNeedles('probe', probe));
      return probe;
    },
  };
  const attempt = async (guest: Guest, direction: 'left' | 'right', expected: string) => {
    const { verdict } = await runAttempt({
      ...{ engine: watched, passiveLiveness, reference, engineId: watched.engineId, matchThreshold, direction },
      ...{ camera: steadyCamera(guest), clock: webClock, timers: webTimers },
    });
    if (verdict.outcome !== expected)
      throw new Error(`the expected attempt came to ${verdict.outcome}/${verdict.reason}`);
  };
  await attempt('anna', 'left', 'Match');
  await attempt('anna', 'right', 'Match');
  await attempt('stranger', 'left', 'NoMatch');
  if (means === 0) throw new Error('nobody was compared by a mean');
  passiveLiveness?.dispose();
  engine.dispose();
  runtime.dispose();
  return needles;
}
