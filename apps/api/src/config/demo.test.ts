import { describe, expect, it } from 'vitest';
import { ConfigurationError, readConfig } from './config.ts';

const isOn = (environment: Record<string, string>) => readConfig(environment).demo;

describe('the demo', () => {
  it('is there on a developer’s machine, unless it is turned off', () => {
    expect(isOn({})).toBe(true);
    expect(isOn({ PORT: '4000', HOST: 'localhost', LOG_LEVEL: 'debug' })).toBe(true);
    expect(isOn({ HOST: '::1' })).toBe(true);
    expect(isOn({ SVC_DEMO: 'off' })).toBe(false);
  });

  it.each([
    { HOST: '0.0.0.0' },
    { DATABASE_URL: 'postgres://u:p@h/d' },
    { SVC_KEK_FILE: '/run/secrets/kek' },
    { SVC_KEK: 'k1:AAAA' },
    { SVC_KEY_STORE_DIR: '/keys' },
    { SVC_KEY_DATABASE_URL: 'postgres://u:p@h/k' },
    { SVC_SIGNING_KEY_FILE: '/run/secrets/signing' },
    { SVC_WIDGET_URL: 'https://widget.example.org' },
    { SVC_TRUST_PROXY: '1' },
    { NODE_ENV: 'production' },
  ])('is not there with %o', (environment) => {
    expect(isOn(environment)).toBe(false);
  });

  it('can be asked for where only this machine reaches it', () => {
    expect(isOn({ SVC_DEMO: 'on', DATABASE_URL: 'postgres://u:p@h/d' })).toBe(true);
    expect(() => isOn({ SVC_DEMO: 'on', HOST: '0.0.0.0' })).toThrow(ConfigurationError);
    expect(() => isOn({ SVC_DEMO: 'on', NODE_ENV: 'production' })).toThrow('SVC_DEMO');
    expect(() => isOn({ SVC_DEMO: 'yes' })).toThrow('SVC_DEMO must be on or off');
  });
});
