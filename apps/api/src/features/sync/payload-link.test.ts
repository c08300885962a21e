import { HOUR_MS, payloadQuerySchema } from '@svc/protocol';
import { expect, it } from 'vitest';
import { newSigningKey } from '../../crypto/signing-key.ts';
import { payloadLink, secondsLeft } from './payload-link.ts';

const [{ key }, { key: next }] = [newSigningKey(), newSigningKey()];
const id = '01jwnafy00e2rbg3vfk4s6q9tz';
const payload = { account: `acc_${id}`, list: `lst_${id}`, from: 3, to: 9, payloadSha256: 'A'.repeat(43) };
const HOUR = Date.parse('2026-06-01T09:00:00.000Z');

/** Reads a link as the service does. */
function read(link: string, changed: Readonly<Record<string, string>> = {}) {
  const { pathname, searchParams } = new URL(link, 'https://api.test');
  const { payloadSha256 = pathname.split('/').at(-1) ?? '', ...query } = changed;
  const parsed = payloadQuerySchema.parse({ ...Object.fromEntries(searchParams), ...query });
  return { payloadSha256, ...parsed };
}
const leftAt = (nowMs: number, linked = read(payloadLink(key, payload, HOUR)), keys = [key]) =>
  secondsLeft(
    keys.map(({ publicKey }) => publicKey),
    linked,
    nowMs,
  );

it('a link is the same for an hour, and works for one to two', () => {
  const links = [0, 1, HOUR_MS - 1, HOUR_MS].map((ms) => payloadLink(key, payload, HOUR + ms));
  expect(links.map((link) => link === links[0])).toEqual([true, true, true, false]);
  expect(links[0]).toMatch(
    /^\/v1\/packs\/A{43}\?account=acc_\w+&list=lst_\w+&from=3&to=9&expires=\d+&signature=[\w-]{86}$/,
  );
  expect([0, HOUR_MS, 2 * HOUR_MS - 1_000].map((ms) => leftAt(HOUR + ms))).toEqual([7_200, 3_600, 1]);
  expect([2 * HOUR_MS - 999, 2 * HOUR_MS, 9 * HOUR_MS].map((ms) => leftAt(HOUR + ms))).toEqual([null, null, null]);
});

it('a link works while the key that signed it is announced', () => {
  const linked = read(payloadLink(key, payload, HOUR));
  expect([[key], [next, key], [next]].map((keys) => leftAt(HOUR, linked, keys))).toEqual([7_200, 7_200, null]);
});

it.each([
  ...Object.entries({ payloadSha256: `${'A'.repeat(42)}B`, account: 'acc_01jwnafy00e2rbg3vfk4s6q9tx' }),
  ...Object.entries({ list: 'lst_01jwnafy00e2rbg3vfk4s6q9tx', from: '0', to: '10', signature: 'A'.repeat(86) }),
  ['expires', `${(HOUR + HOUR_MS) / 1_000}`],
])('a link with another %s does not work', (name, value) => {
  expect(leftAt(HOUR, read(payloadLink(key, payload, HOUR), { [name]: value }))).toBeNull();
});

it('a link of a service whose clock is ahead does not live longer', () => {
  expect(leftAt(HOUR, read(payloadLink(key, payload, HOUR + HOUR_MS)))).toBeNull();
});
