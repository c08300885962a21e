import { createECDH } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { KeyShreddedError, type StoredListKey } from '../../crypto/key-ring.ts';
import { SealedCheckInSecrets, SealedKeys } from './sealed-keys.ts';

const newKey = () => createECDH('prime256v1').generateKeys();
const context = { listId: 'lst_a', deviceId: 'dev_a', epoch: 1 };

/** A key ring with one key that counts look-ups and unwrappings. */
function keyRing() {
  const ring = {
    wrapped: Buffer.alloc(60, 1),
    isGone: false,
    asked: 0,
    unwrapped: [] as Uint8Array[],
    findListKey(): Promise<StoredListKey> {
      ring.asked += 1;
      if (ring.isGone) return Promise.reject(new KeyShreddedError('gone'));
      return Promise.resolve({
        wrapped: Buffer.from(ring.wrapped),
        unwrap() {
          const key = new Uint8Array(32).fill(9);
          ring.unwrapped.push(key);
          return Promise.resolve(key);
        },
      });
    },
  };
  return ring;
}

describe('sealed keys', () => {
  it('are sealed once to a device, and the key store is asked every time', async () => {
    const ring = keyRing();
    const keys = new SealedKeys(ring);
    const device = newKey();
    const first = await keys.seal(device, context);
    expect(await keys.seal(Buffer.from(device), { ...context })).toBe(first);
    expect([ring.asked, ring.unwrapped.length]).toEqual([2, 1]);
    expect(ring.unwrapped[0]).toEqual(new Uint8Array(32));
  });

  it('are not served once the key is gone', async () => {
    const ring = keyRing();
    const keys = new SealedKeys(ring);
    const device = newKey();
    await keys.seal(device, context);
    ring.isGone = true;
    await expect(keys.seal(device, context)).rejects.toThrow(KeyShreddedError);
  });

  it('are sealed again when the stored key has changed or was wrapped again', async () => {
    const ring = keyRing();
    const keys = new SealedKeys(ring);
    const device = newKey();
    const first = await keys.seal(device, context);
    ring.wrapped = Buffer.alloc(60, 2);
    expect(await keys.seal(device, context)).not.toBe(first);
  });

  it.each([
    ['another device key', {}, newKey()],
    ['another device', { deviceId: 'dev_b' }, undefined],
    ['another list', { listId: 'lst_b' }, undefined],
    ['another epoch', { epoch: 2 }, undefined],
  ])('are not those of %s', async (_what, other, otherKey) => {
    const ring = keyRing();
    const keys = new SealedKeys(ring);
    const device = newKey();
    const first = await keys.seal(device, context);
    expect((await keys.seal(otherKey ?? device, { ...context, ...other })).enc).not.toEqual(first.enc);
    expect(ring.unwrapped.length).toBe(2);
  });

  it('are bounded, those used longest ago going first', async () => {
    const ring = keyRing();
    const keys = new SealedKeys(ring, 2);
    const device = newKey();
    const one = await keys.seal(device, { ...context, epoch: 1 });
    await keys.seal(device, { ...context, epoch: 2 });
    expect(await keys.seal(device, { ...context, epoch: 1 })).toBe(one);
    await keys.seal(device, { ...context, epoch: 3 });
    expect(await keys.seal(device, { ...context, epoch: 1 })).toBe(one);
    await keys.seal(device, { ...context, epoch: 2 });
    expect(ring.unwrapped.length).toBe(4);
  });
});

describe('sealed secrets of check-ins', () => {
  const list = { accountId: 'acc_a', listId: 'lst_a', deviceId: 'dev_a' };

  function secrets(limit?: number) {
    const opened: Uint8Array[] = [];
    const sealed = new SealedCheckInSecrets(() => {
      opened.push(new Uint8Array(32).fill(9));
      return Promise.resolve(opened.at(-1) ?? new Uint8Array());
    }, limit);
    return { sealed, opened };
  }

  it('are opened and sealed once to a device, and wiped', async () => {
    const { sealed, opened } = secrets();
    const device = newKey();
    const first = await sealed.seal(device, list, Buffer.alloc(72, 1));
    expect(await sealed.seal(Buffer.from(device), { ...list }, Buffer.alloc(72, 1))).toBe(first);
    expect(opened).toEqual([new Uint8Array(32)]);
  });

  it('are sealed again once they changed, to another key, and for another device or list', async () => {
    const { sealed, opened } = secrets();
    const device = newKey();
    const wrapped = Buffer.alloc(72, 1);
    await sealed.seal(device, list, wrapped);
    await sealed.seal(device, list, Buffer.alloc(72, 2));
    await sealed.seal(newKey(), list, wrapped);
    await sealed.seal(device, { ...list, deviceId: 'dev_b' }, wrapped);
    await sealed.seal(device, { ...list, listId: 'lst_b' }, wrapped);
    expect(opened).toHaveLength(5);
  });
});
