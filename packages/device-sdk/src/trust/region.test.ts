import { describe, expect, it } from 'vitest';
import { toBase64Url } from '../platform/bytes.ts';
import { resolveRegion, signingKeyId } from './region.ts';

const key = new Uint8Array(32).fill(9);
const signingKeys = [toBase64Url(key)];

describe('a region', () => {
  it('resolves to an address and keys by id', () => {
    const region = resolveRegion({ baseUrl: ' https://faces.example/eu// ', signingKeys });
    expect(region.baseUrl).toBe('https://faces.example/eu');
    expect([...region.signingKeys]).toEqual([[signingKeyId(key), key]]);
    expect(signingKeyId(key)).toMatch(/^[0-9a-f]{16}$/);
  });

  it('may be a name that the build knows', () => {
    const known = { EU: { baseUrl: 'https://eu.example', signingKeys } };
    expect(resolveRegion('EU', known).baseUrl).toBe('https://eu.example');
    expect(() => resolveRegion('US', known)).toThrowError(expect.objectContaining({ code: 'configuration-invalid' }));
  });

  it.each(['http://localhost:3000', 'http://127.0.0.1:3000', 'http://[::1]:3000'])(
    'may be on this machine: %s',
    (baseUrl) => {
      expect(resolveRegion({ baseUrl, signingKeys }).baseUrl).toBe(baseUrl);
    },
  );

  it.each([
    ['no TLS', { baseUrl: 'http://faces.example', signingKeys }],
    ['a host that only looks local', { baseUrl: 'http://localhost.example', signingKeys }],
    ['another protocol', { baseUrl: 'file:///etc', signingKeys }],
    ['no URL', { baseUrl: 'faces', signingKeys }],
    ['no address', { baseUrl: '', signingKeys }],
    ['a space in its host', { baseUrl: 'https://a:canary@faces example', signingKeys }],
    ['ftp', { baseUrl: 'ftp://localhost', signingKeys }],
    ['a user', { baseUrl: 'https://canary@faces.example', signingKeys }],
    ['a password', { baseUrl: 'https://a:canary@faces.example', signingKeys }],
    ['a query', { baseUrl: 'https://faces.example?canary', signingKeys }],
    ['a fragment', { baseUrl: 'https://faces.example/#canary', signingKeys }],
    ['no key', { baseUrl: 'https://faces.example', signingKeys: [] }],
    ['a short key', { baseUrl: 'https://faces.example', signingKeys: ['AAAA'] }],
    ['a key that is no text', { baseUrl: 'https://faces.example', signingKeys: [7 as unknown as string] }],
    ['a key in other letters', { baseUrl: 'https://faces.example', signingKeys: [`${signingKeys[0]?.slice(0, -1)}=`] }],
  ])('is refused with %s', (_what, settings) => {
    const resolve = () => resolveRegion(settings);
    expect(resolve).toThrowError(expect.objectContaining({ code: 'configuration-invalid' }));
    expect(resolve).not.toThrowError(/canary/);
    expect(resolve).not.toThrowError(expect.objectContaining({ cause: expect.anything() as unknown }));
  });
});
