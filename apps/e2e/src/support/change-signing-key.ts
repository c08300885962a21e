import { deepStrictEqual, notStrictEqual } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { openSigningAdmin } from '@svc/api';
import type { TestApi } from '@svc/api/testing';
import { parseEnvelope } from '@svc/core/pack';
import { TestDevice } from './test-device.ts';

const TAKEN_UP_MS = 60_000;
/** Backdates the announcement, so that every node uses it. */
const AGO_MS = 120_000;

/**
 * Changes the signing key of a running service as an operator does: a second key is announced, then signs, then is the
 * only one.
 * @param token of a device other than the tested one
 * @param goesOn called at each stage, once the service has taken it up
 */
export async function changeSigningKey(
  { config, url }: Pick<TestApi, 'config' | 'url'>,
  token: string,
  goesOn: () => Promise<void>,
): Promise<void> {
  const operator = await openSigningAdmin(config, { clock: { now: () => Date.now() - AGO_MS } });
  const beside = new TestDevice({ url, signingKey: '', keyId: '' }, token);
  async function served() {
    const { keyId, manifest } = parseEnvelope(new Uint8Array((await beside.ask()).body));
    const { signingKeys } = JSON.parse(new TextDecoder().decode(manifest)) as {
      readonly signingKeys: readonly string[];
    };
    return { keyId, told: signingKeys.length };
  }
  /** Waits until every node has taken a change up. */
  async function isServed(expected: Awaited<ReturnType<typeof served>>): Promise<void> {
    const deadlineMs = performance.now() + TAKEN_UP_MS;
    while (!isDeepStrictEqual(await served(), expected) && performance.now() < deadlineMs) await sleep(250);
    deepStrictEqual(await served(), expected);
  }
  try {
    const [former] = (await operator.status()).keys;
    const created = await operator.create({ lost: false });
    const next = created.status.keys.at(-1);
    notStrictEqual(next?.keyId, former?.keyId);
    await isServed({ keyId: former?.keyId ?? '', told: 2 });
    await goesOn();
    await goesOn();
    // The second device ignores announcements and must not block the operator.
    await operator.rotate({ force: true });
    await isServed({ keyId: next?.keyId ?? '', told: 2 });
    await goesOn();
    await operator.retire();
    await isServed({ keyId: next?.keyId ?? '', told: 1 });
    await goesOn();
  } finally {
    await operator.close();
  }
}
