import sharp from 'sharp';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { guestsShare, serverShare } from '../platform/fair-share.ts';
import { createInferencePool } from './pool.ts';
import { InferenceError, type InferencePool, type SealTask } from './port.ts';

const failures: unknown[] = [];
let pool: InferencePool;

beforeAll(async () => {
  pool = createInferencePool({ workers: 1, queue: 1, onFailure: (error) => failures.push(error) });
  await vi.waitUntil(() => pool.isReady(), { timeout: 60_000, interval: 100 });
});
afterAll(() => pool.close());

async function blank(): Promise<SealTask> {
  const jpeg = await sharp({ create: { width: 200, height: 200, channels: 3, background: '#777' } })
    .jpeg()
    .toBuffer();
  return {
    photo: new Uint8Array(jpeg),
    listKey: new Uint8Array(32).fill(1),
    listId: 'lst_1',
    epoch: 1,
    engineId: 'dlib-resnet-128-mirror/1',
    personId: 'p',
    deleteAfterMs: 1,
    checkPhoto: false,
    isTest: false,
  };
}

const here = () => new AbortController().signal;

it('admits as many as may work and wait, and takes back what is released, once', () => {
  const [first, second] = [pool.admit(serverShare('acc_1'), here()), pool.admit(serverShare('acc_2'), here())];
  expect([first === null, second === null, pool.admit(serverShare('acc_3'), here())]).toEqual([false, false, null]);
  first?.release();
  first?.release();
  const third = pool.admit(serverShare('acc_3'), here());
  expect([third === null, pool.admit(serverShare('acc_1'), here())]).toEqual([false, null]);
  second?.release();
  third?.release();
});

it('has a worker draw a logo, of which the sender keeps no copy', async () => {
  const png = await sharp({ create: { width: 960, height: 100, channels: 4, background: '#c02060' } })
    .png()
    .toBuffer();
  const image = new Uint8Array(png);
  const logo = await pool.drawLogo(image, serverShare('acc_1'), here());
  expect(image.byteLength).toBe(0);
  expect(await sharp(logo as Uint8Array).metadata()).toMatchObject({ format: 'png', width: 480, height: 50 });
  const refused = await pool.drawLogo(new TextEncoder().encode('<svg/>'), serverShare('acc_1'), here());
  expect(refused).toMatchObject({ reason: 'format', measured: 'image/svg+xml' });
});

it('draws no logo where every place is taken, and gives the place back', async () => {
  const held = [pool.admit(serverShare('acc_1'), here()), pool.admit(serverShare('acc_2'), here())];
  const draw = () => pool.drawLogo(new Uint8Array([1]), serverShare('acc_3'), here());
  await expect(draw()).rejects.toMatchObject({ code: 'overloaded' });
  for (const admission of held) admission?.release();
  for (let i = 0; i < 3; i += 1) expect(await draw()).toMatchObject({ reason: 'format' });
});

it('takes a place from the share that holds the most for its weight, and wipes the photo that had it', async () => {
  const guests = [pool.admit(guestsShare('acc_1'), here()), pool.admit(guestsShare('acc_1'), here())];
  expect(pool.hasRoom(guestsShare('acc_1'))).toBe(false);
  expect(pool.hasRoom(serverShare('acc_1'))).toBe(true);
  const server = pool.admit(serverShare('acc_1'), here());
  const task = await blank();
  await expect(guests[1]?.seal(task)).rejects.toMatchObject({ code: 'overloaded' });
  expect(task.photo.every((byte) => byte === 0)).toBe(true);
  expect(await server?.seal(await blank())).toMatchObject({ reason: 'no-face' });
  expect(await guests[0]?.seal(await blank())).toMatchObject({ reason: 'no-face' });
  for (const admission of [server, ...guests]) admission?.release();
});

it('does not begin a task whose caller has gone, and wipes its photo', async () => {
  const admission = pool.admit(serverShare('acc_1'), AbortSignal.abort());
  const task = await blank();
  await expect(admission?.seal(task)).rejects.toMatchObject({ code: 'overloaded' });
  expect(task.photo.every((byte) => byte === 0)).toBe(true);
  admission?.release();
});

it('answers from a worker with the real engine, and keeps no copy of the photo here', async () => {
  const admission = pool.admit(serverShare('acc_1'), here());
  const task = await blank();
  expect(await admission?.seal(task)).toMatchObject({ ok: false, reason: 'no-face' });
  expect(task.photo.byteLength).toBe(0);
  admission?.release();
});

it('distinguishes a worker’s failure from a refusal, and continues', async () => {
  const admission = pool.admit(serverShare('acc_1'), here());
  await expect(admission?.seal({ ...(await blank()), engineId: 'another/1' })).rejects.toThrow(InferenceError);
  expect(await admission?.seal(await blank())).toMatchObject({ ok: false, reason: 'no-face' });
  admission?.release();
  expect(failures).toEqual([]);
});
