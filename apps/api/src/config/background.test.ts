import { describe, expect, it } from 'vitest';
import { ConfigurationError, readConfig } from './config.ts';

describe('what a node does besides answering', () => {
  it('is everything, towards public receivers alone, unless told otherwise', () => {
    expect(readConfig({}).background).toEqual({
      jobs: true,
      webhooks: { allowedRanges: [], ports: [443], allowHttp: false },
    });
  });

  it('is what the settings say', () => {
    const settings = {
      SVC_JOBS: 'off',
      SVC_WEBHOOK_ALLOW: '10.1.0.0/16, fd00::/8',
      SVC_WEBHOOK_PORTS: '443, 8443',
      SVC_WEBHOOK_HTTP: 'on',
    };
    expect(readConfig(settings).background).toEqual({
      jobs: false,
      webhooks: { allowedRanges: ['10.1.0.0/16', 'fd00::/8'], ports: [443, 8443], allowHttp: true },
    });
    expect(readConfig({ SVC_WEBHOOK_PORTS: 'any' }).background.webhooks.ports).toBeNull();
  });

  it.each([
    ['SVC_JOBS', 'yes'],
    ['SVC_WEBHOOK_HTTP', 'true'],
    ['SVC_WEBHOOK_ALLOW', '10.0.0.1'],
    ['SVC_WEBHOOK_ALLOW', '10.0.0.0/33'],
    ['SVC_WEBHOOK_ALLOW', 'canary.internal'],
    ['SVC_WEBHOOK_PORTS', '0'],
    ['SVC_WEBHOOK_PORTS', '443,65536'],
    ['SVC_WEBHOOK_PORTS', '443,'],
    ['SVC_WEBHOOK_PORTS', 'https'],
  ])('refuses %s=%s by name, without its value', (name, value) => {
    const read = () => readConfig({ [name]: value });
    expect(read).toThrow(ConfigurationError);
    expect(read).toThrow(name);
    expect(read).not.toThrow(value);
  });
});
