import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ConfigurationError, operatorCommand, originOf, readConfig } from './config.ts';
import { renderSettings } from './settings.ts';

describe('readConfig', () => {
  it('needs nothing', () => {
    const config = readConfig({});
    expect(config).toMatchObject({
      host: '127.0.0.1',
      port: 3000,
      databaseUrl: null,
      region: 'local',
      logLevel: 'info',
    });
    expect(config.inferenceWorkers).toBeGreaterThan(0);
    expect(config.dataDirectory).toMatch(/[\\/]\.data$/);
  });

  it('reads every setting, and takes an empty one for absent', () => {
    const config = readConfig({
      HOST: '0.0.0.0',
      PORT: '8080',
      SVC_DRAIN_MS: '10000',
      DATABASE_URL: 'postgres://u:p@h/d',
      SVC_DATA_DIR: '/srv/data',
      SVC_KEK_FILE: '/run/secrets/kek',
      SVC_SIGNING_KEY_FILE: '/run/secrets/signing',
      SVC_ENGINE: 'retail-0095-mirror/3',
      SVC_MODELS_DIR: '/srv/models',
      SVC_INFERENCE_WORKERS: '3',
      SVC_INFERENCE_QUEUE: '0',
      SVC_REGION: 'EU',
      LOG_LEVEL: 'warn',
      SVC_KEK: ' ',
    });
    expect(config).toMatchObject({
      host: '0.0.0.0',
      port: 8080,
      drainMs: 10_000,
      databaseUrl: 'postgres://u:p@h/d',
      dataDirectory: '/srv/data',
      kek: undefined,
      kekFile: '/run/secrets/kek',
      signingKeyFile: '/run/secrets/signing',
      engineId: 'retail-0095-mirror/3',
      modelsDirectory: '/srv/models',
      inferenceWorkers: 3,
      inferenceQueue: 0,
      region: 'EU',
      logLevel: 'warn',
    });
  });

  it('reads a relative path from where the command was called', () => {
    expect(readConfig({ SVC_DATA_DIR: 'here', SVC_INVOKED_FROM: '/somewhere' }).dataDirectory).toBe('/somewhere/here');
  });

  it('serves the pages of a release, which is never written to', () => {
    const release = { SVC_RELEASE: '/opt/svc', SVC_DATA_DIR: '/srv/data' };
    expect(readConfig(release)).toMatchObject({
      dataDirectory: '/srv/data',
      dashboardDirectory: '/opt/svc/pages/dashboard',
      kioskDirectory: '/opt/svc/pages/kiosk',
      widgetDirectory: '/opt/svc/pages/widget',
    });
    expect(() => readConfig({ SVC_RELEASE: '/opt/svc' })).toThrow('SVC_DATA_DIR must be set');
    expect([operatorCommand({}), operatorCommand(release)]).toEqual(['npm run svc --', 'svc']);
  });

  it.each([
    ['PORT', '65536'],
    ['SVC_DRAIN_MS', '300001'],
    ['DATABASE_URL', 'mysql://canary'],
    ['SVC_ENGINE', 'canary/3'],
    ['SVC_INFERENCE_WORKERS', '0'],
    ['SVC_INFERENCE_QUEUE', '1.5'],
    ['LOG_LEVEL', 'loud'],
    ['SVC_REGION', 'EU; canary'],
    ['SVC_JOBS', 'yes'],
    ['SVC_WEBHOOK_HTTP', 'true'],
    ['SVC_WEBHOOK_ALLOW', '10.0.0.1'],
    ['SVC_WEBHOOK_ALLOW', 'canary.internal'],
    ['SVC_WEBHOOK_PORTS', '443,65536'],
    ['SVC_TRUST_PROXY', 'canary.example'],
    ['SVC_TRUST_PROXY', '170'],
    ['SVC_RATE_LIMIT_API_KEY', '-1'],
    ['SVC_RATE_LIMIT_DEVICE', 'many'],
    ['SVC_CONNECTIONS', '9'],
    ['SVC_BODY_MEMORY_MB', '15'],
    ['SVC_DATABASE_CONNECTIONS', '1'],
    ['SVC_WIDGET_URL', 'widget.example.org'],
    ['SVC_WIDGET_URL', 'http://widget.example.org'],
    ['SVC_WIDGET_URL', 'https://user:secret@widget.example.org'],
    ['SVC_WIDGET_URL', 'https://widget.example.org/?a=b'],
    ['SVC_WIDGET_URL', 'https://widget.example.org/#'],
    ['SVC_WIDGET_URL', 'javascript:alert(1)'],
    ['SVC_KIOSK_ORIGINS', '*'],
    ['SVC_KIOSK_ORIGINS', 'https://a.example.org/app'],
    ['SVC_DEMO', 'yes'],
  ])('refuses %s=%s by name, without its value', (name, value) => {
    const read = () => readConfig({ [name]: value });
    expect(read).toThrow(ConfigurationError);
    expect(read).toThrow(`${name} must be `);
    if (value.length > 1) expect(read).not.toThrow(value);
  });

  it.each([
    ['SVC_RATE_LIMIT_DEVISE', 'SVC_RATE_LIMIT_DEVICE'],
    ['SVC_WIDGET_UR', 'SVC_WIDGET_URL'],
    ['SVC_DATABASE_URL', 'DATABASE_URL'],
  ])('refuses %s, which is no setting, and names the nearest one', (name, nearest) => {
    expect(() => readConfig({ [name]: 'canary' })).toThrow(
      new ConfigurationError(`${name} is no setting; did you mean ${nearest}?`),
    );
    expect(() => readConfig({ [name]: ' ' })).not.toThrow();
  });

  it('passes over what belongs to tests, builds, scripts and others’ programs', () => {
    const others = { SVC_TEST_FUZZ_RUNS: '9', SVC_INVOKED_FROM: '/somewhere', SVC_WIDGET_API_URL: 'a', svc_kek: 'b' };
    expect(readConfig({ ...others, SVCX: 'c' }).port).toBe(3000);
  });

  it('is what docs/operations.md says; write it anew with scripts/write-settings.ts', () => {
    const page = readFileSync(new URL('../../../../docs/operations.md', import.meta.url), 'utf8');
    expect(page).toContain(`\n\n${renderSettings()}\n\n`);
  });

  it('put keys in one place besides the database', () => {
    expect(readConfig({})).toMatchObject({ backupRetentionDays: 35, acceptOldBackup: false });
    expect(readConfig({}).keyDatabaseUrl ?? readConfig({}).keyStoreDirectory).toBeUndefined();
    const apart = { SVC_KEY_STORE_DIR: '/keys', SVC_BACKUP_RETENTION_DAYS: '7', SVC_ACCEPT_OLD_BACKUP: 'yes' };
    expect(readConfig(apart)).toMatchObject({
      keyStoreDirectory: '/keys',
      backupRetentionDays: 7,
      acceptOldBackup: true,
    });
    const both = { ...apart, SVC_KEY_DATABASE_URL: 'postgresql://u:p@h/d' };
    expect(() => readConfig(both)).toThrow('exclude each other');
    const database = { SVC_KEY_DATABASE_URL: 'postgresql://u:p@h/k' };
    expect(readConfig({ ...database, SVC_KEY_SECRETS_DIR: '/secrets' }).keySecretsDirectory).toBe('/secrets');
    expect(() => readConfig({ SVC_KEY_SECRETS_DIR: '/secrets' })).toThrow('goes with SVC_KEY_DATABASE_URL');
    expect(() => readConfig({ ...database, DATABASE_URL: database.SVC_KEY_DATABASE_URL })).toThrow('another database');
    expect(() => readConfig({ SVC_KEY_DATABASE_URL: 'mysql://h' })).toThrow('SVC_KEY_DATABASE_URL must be');
    expect(() => readConfig({ SVC_BACKUP_RETENTION_DAYS: '0' })).toThrow('SVC_BACKUP_RETENTION_DAYS');
    expect(() => readConfig({ SVC_ACCEPT_OLD_BACKUP: 'true' })).toThrow('SVC_ACCEPT_OLD_BACKUP');
  });
});

describe('what a node does besides answering', () => {
  it('is everything, towards public receivers only, by default', () => {
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
});

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
    { SVC_KIOSK_URL: 'https://kiosk.example.org' },
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
});

const widget = (environment: Record<string, string>) => readConfig(environment).widget;

describe('where the widget lives', () => {
  it('is this machine unless it is said', () => {
    expect(widget({ PORT: '4000' })).toEqual({ url: 'http://localhost:4000/widget', kioskOrigins: [] });
  });

  it.each([
    ['https://widget.example.org', 'https://widget.example.org/'],
    ['https://widget.example.org:8443/face/', 'https://widget.example.org:8443/face/'],
    ['http://127.0.0.1:5173/w', 'http://127.0.0.1:5173/w'],
    ['http://[::1]/', 'http://[::1]/'],
  ])('%s', (text, url) => {
    expect(widget({ SVC_WIDGET_URL: text }).url).toBe(url);
    expect(originOf(url)).toBe(new URL(url).origin);
  });
});

describe('the address of the kiosk', () => {
  const kioskUrl = (environment: Record<string, string>) => readConfig(environment).kioskUrl;

  it('is this machine’s, unless others reach the service', () => {
    expect(kioskUrl({ PORT: '4000' })).toBe('http://localhost:4000/kiosk/');
    expect(kioskUrl({ HOST: '0.0.0.0' })).toBeNull();
    expect(kioskUrl({ SVC_WIDGET_URL: 'https://widget.example.org' })).toBeNull();
  });

  it('is what is configured', () => {
    expect(kioskUrl({ HOST: '0.0.0.0', SVC_KIOSK_URL: 'https://kiosk.example.org' })).toBe(
      'https://kiosk.example.org/',
    );
    expect(() => kioskUrl({ SVC_KIOSK_URL: 'http://kiosk.example.org' })).toThrow('SVC_KIOSK_URL');
  });
});

describe('kiosks', () => {
  it('are origins, separated by commas', () => {
    const kiosks = ' https://a.example.org , https://b.example.org:444/,http://localhost:5173,';
    expect(widget({ SVC_KIOSK_ORIGINS: kiosks }).kioskOrigins).toEqual([
      'https://a.example.org',
      'https://b.example.org:444',
      'http://localhost:5173',
    ]);
    expect(widget({ SVC_KIOSK_URL: 'https://kiosk.example.org/door' }).kioskOrigins).toEqual([
      'https://kiosk.example.org',
    ]);
  });
});
