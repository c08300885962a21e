import { HOUR_MS, payloadQuerySchema } from '@svc/protocol';
import { expect, it } from 'vitest';
import { newSigningKey } from '../../crypto/signing-key.ts';
import { payloadLink, secondsLeft } from './payload-link.ts';

const [{ key }, { key: next }] = [newSigningKey(), newSigningKey()];
const id = '01jwnafy00e2rbg3vfk4s6q9tz';
const payload = { account: `acc_${id}`, list: `lst_${id}`, from: 3, to: 9, payloadSha256: 'A'.repeat(43) };
const HOUR = Date.parse('2026-06-01T09:00:00.000Z');

/** Reads a link as the service does. */
function read(link: string) {
  const { pathname, searchParams } = new URL(link, 'https://api.test');
  const payloadSha256 = pathname.split('/').at(-1) ?? '';
  return { payloadSha256, ...payloadQuerySchema.parse(Object.fromEntries(searchParams)) };
}
const LINK = payloadLink(key, payload, HOUR);
const leftAt = (nowMs: number, linked = read(LINK), keys = [key], link = LINK) =>
  secondsLeft(
    keys.map(({ publicKey }) => publicKey),
    link,
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

it('a link works in the form alone in which it was sent', () => {
  const turned = LINK.replace(/(account=[^&]+)&(list=[^&]+)/, '$2&$1');
  expect([LINK, turned, `${LINK}&`].map((link) => leftAt(HOUR, read(link), [key], link))).toEqual([7_200, null, null]);
});

it('a link works while the key that signed it is announced', () => {
  expect([[key], [next, key], [next]].map((keys) => leftAt(HOUR, read(LINK), keys))).toEqual([7_200, 7_200, null]);
});

it.each([
  ...Object.entries({ payloadSha256: `${'A'.repeat(42)}B`, account: 'acc_01jwnafy00e2rbg3vfk4s6q9tx' }),
  ...Object.entries({ list: 'lst_01jwnafy00e2rbg3vfk4s6q9tx', from: '0', to: '10', signature: 'A'.repeat(86) }),
  ['expires', `${(HOUR + HOUR_MS) / 1_000}`],
])('a link with another %s does not work', (name, value) => {
  const link = LINK.replace(name === 'payloadSha256' ? /A{43}/ : new RegExp(`(?<=${name}=)[^&]+`), value);
  expect(link).not.toBe(LINK);
  expect(leftAt(HOUR, read(link), [key], link)).toBeNull();
});

it('a link of a node whose clock is ahead works, up to a minute, and does not live longer', () => {
  expect([59_999, 60_000, 61_000].map((ms) => leftAt(HOUR - ms))).toEqual([7_200, 7_200, null]);
  const later = payloadLink(key, payload, HOUR + HOUR_MS);
  expect(leftAt(HOUR, read(later), [key], later)).toBeNull();
});
