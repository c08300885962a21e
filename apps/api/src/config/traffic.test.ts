import { describe, expect, it } from 'vitest';
import { ConfigurationError, readConfig } from './config.ts';

const traffic = (environment: Record<string, string>) => readConfig(environment).traffic;

describe('the settings of traffic', () => {
  it('have defaults, and believe no proxy', () => {
    const { rateLimits, trustProxy, connections, bodyBytes, databaseConnections } = traffic({});
    expect(Object.values(rateLimits).every((limit) => limit > 0)).toBe(true);
    expect([trustProxy, connections, bodyBytes, databaseConnections]).toEqual([false, 10_000, 256 * 2 ** 20, 10]);
  });

  it.each([
    ['0', false],
    ['1', 1],
    ['loopback', ['loopback']],
    ['10.0.0.0/8, 2001:db8::1', ['10.0.0.0/8', '2001:db8::1']],
  ])('SVC_TRUST_PROXY=%s', (value, expected) => {
    expect(traffic({ SVC_TRUST_PROXY: value }).trustProxy).toEqual(expected);
  });

  it.each([
    ['SVC_TRUST_PROXY', 'canary.example'],
    ['SVC_TRUST_PROXY', 'true'],
    ['SVC_TRUST_PROXY', '17'],
    ['SVC_TRUST_PROXY', '10.0.0.0/33'],
    ['SVC_TRUST_PROXY', '10.0.0.1,'],
    ['SVC_RATE_LIMIT_API_KEY', '-1'],
    ['SVC_RATE_LIMIT_DEVICE', 'many'],
    ['SVC_CONNECTIONS', '9'],
    ['SVC_BODY_MEMORY_MB', '15'],
    ['SVC_DATABASE_CONNECTIONS', '1'],
  ])('refuses %s=%s by name, without its value', (name, value) => {
    expect(() => traffic({ [name]: value })).toThrow(ConfigurationError);
    expect(() => traffic({ [name]: value })).toThrow(name);
    expect(() => traffic({ [name]: value })).not.toThrow('canary');
  });
});
