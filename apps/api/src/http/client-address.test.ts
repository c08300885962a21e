import { expect, it } from 'vitest';
import { systemRandom } from '../crypto/random.ts';
import { createAddressBucket } from './client-address.ts';

const bucketOf = createAddressBucket(systemRandom);
const at = (ip: string | undefined) => bucketOf({ ip });

it('counts an IPv6 network as one, and an IPv4 address whichever way it is written', () => {
  expect(at('2001:db8:1:2::1')).toBe(at('2001:db8:1:2:ffff::9'));
  expect(at('192.0.2.1')).toBe(at('::ffff:192.0.2.1'));
});

it('tells most addresses apart, has 65,536 counters, and needs no address', () => {
  const buckets = new Set(Array.from({ length: 200 }, (_, i) => at(`192.0.2.${i}`)));
  expect(buckets.size).toBeGreaterThan(195);
  for (const bucket of [...buckets, at(undefined), at('nonsense')]) expect(bucket).toMatch(/^[0-9a-f]{4}$/);
});

it('maps addresses differently in another process', () => {
  const other = createAddressBucket(systemRandom);
  const same = Array.from({ length: 50 }, (_, i) => `192.0.2.${i}`).filter((ip) => other({ ip }) === at(ip));
  expect(same.length).toBeLessThan(5);
});
