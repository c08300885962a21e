import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ConfigurationError, operatorCommand, readConfig } from './config.ts';
import { renderSettings, settings } from './settings.ts';

const release = { SVC_RELEASE: '/opt/svc', SVC_DATA_DIR: '/srv/data' };
const database = { SVC_KEY_DATABASE_URL: 'postgresql://u:p@h/k' };
const others = {
  SVC_TEST_FUZZ_RUNS: '9',
  SVC_INVOKED_FROM: '/somewhere',
  SVC_WIDGET_API_URL: 'a',
  svc_kek: 'b',
  SVCX: 'c',
};
const kioskOrigins = ['https://a.example.org', 'https://b.example.org:444', 'http://localhost:5173'];
const separate = {
  SVC_API_URL: 'https://api.example.org',
  SVC_WIDGET_URL: 'https://widget.example.org/widget',
  SVC_KIOSK_URL: 'https://kiosk.example.org/kiosk/',
  SVC_DASHBOARD_URL: 'https://dashboard.example.org/dashboard',
};
const publicOnly = { allowedRanges: [], ports: [443], allowHttp: false };

it.each<[Record<string, string>, object]>([
  [{}, { host: '127.0.0.1', port: 3000, databaseUrl: null, region: 'local', logLevel: 'info' }],
  [{}, { dataDirectory: expect.stringMatching(/[\\/]\.data$/), backupRetentionDays: 35, acceptOldBackup: false }],
  [{}, { keyDatabaseUrl: undefined, keyStoreDirectory: undefined, background: { jobs: true, webhooks: publicOnly } }],
  [{}, { traffic: expect.objectContaining({ trustProxy: false, connections: 10_000, bodyBytes: 256 * 2 ** 20 }) }],
  [others, { port: 3000 }],
  [
    { HOST: '0.0.0.0', PORT: '8080', SVC_DRAIN_MS: '10000' },
    { host: '0.0.0.0', port: 8080, drainMs: 10_000 },
  ],
  [
    { SVC_KEK: ' ', SVC_KEK_FILE: '/run/secrets/kek' },
    { kek: undefined, kekFile: '/run/secrets/kek' },
  ],
  [
    { SVC_INFERENCE_WORKERS: '3', SVC_INFERENCE_QUEUE: '0' },
    { inferenceWorkers: 3, inferenceQueue: 0 },
  ],
  [{ SVC_DATA_DIR: 'here', SVC_INVOKED_FROM: '/somewhere' }, { dataDirectory: '/somewhere/here' }],
  [release, { dataDirectory: '/srv/data', manualDirectory: '/opt/svc/pages/manual' }],
  [
    { SVC_ACCEPT_OLD_BACKUP: 'yes', SVC_KEY_STORE_DIR: '/keys' },
    { acceptOldBackup: true, keyStoreDirectory: '/keys' },
  ],
  [{ ...database, SVC_KEY_SECRETS_DIR: '/secrets' }, { keySecretsDirectory: '/secrets' }],
  [
    {
      SVC_JOBS: 'off',
      SVC_WEBHOOK_ALLOW: '10.1.0.0/16, fd00::/8',
      SVC_WEBHOOK_PORTS: '443, 8443',
      SVC_WEBHOOK_HTTP: 'on',
    },
    {
      background: {
        jobs: false,
        webhooks: { allowedRanges: ['10.1.0.0/16', 'fd00::/8'], ports: [443, 8443], allowHttp: true },
      },
    },
  ],
  [{ SVC_WEBHOOK_PORTS: 'any' }, { background: { jobs: true, webhooks: { ...publicOnly, ports: null } } }],
  [{ SVC_TRUST_PROXY: '0' }, { traffic: expect.objectContaining({ trustProxy: false }) }],
  [{ SVC_TRUST_PROXY: '1' }, { traffic: expect.objectContaining({ trustProxy: 1 }) }],
  [{ SVC_TRUST_PROXY: 'loopback' }, { traffic: expect.objectContaining({ trustProxy: ['loopback'] }) }],
  [
    { SVC_TRUST_PROXY: '10.0.0.0/8, 2001:db8::1' },
    { traffic: expect.objectContaining({ trustProxy: ['10.0.0.0/8', '2001:db8::1'] }) },
  ],
  [{ PORT: '4000' }, { widget: { url: 'http://localhost:4000/widget', kioskOrigins: [] } }],
  [{ PORT: '4000' }, { kioskUrl: 'http://localhost:4000/kiosk/' }],
  [
    { SVC_WIDGET_URL: 'https://widget.example.org' },
    { widget: { url: 'https://widget.example.org/', kioskOrigins: [] } },
  ],
  [{ SVC_WIDGET_URL: 'http://[::1]/w/' }, { widget: { url: 'http://[::1]/w/', kioskOrigins: [] } }],
  [separate, { apiUrl: 'https://api.example.org', dashboardUrl: 'https://dashboard.example.org/dashboard/' }],
  [{ ...separate, SVC_WIDGET_URL: 'http://widget.localhost:3000/widget/', SVC_DASHBOARD_URL: '' }, { demo: false }],
  [{}, { apiUrl: null }],
  // No link to this machine is made where others reach the service.
  [{ HOST: '0.0.0.0' }, { kioskUrl: null }],
  [{ SVC_WIDGET_URL: 'https://widget.example.org' }, { kioskUrl: null }],
  [{ HOST: '0.0.0.0', SVC_KIOSK_URL: 'https://kiosk.example.org' }, { kioskUrl: 'https://kiosk.example.org/' }],
  [
    { SVC_KIOSK_ORIGINS: ' https://a.example.org , https://b.example.org:444/,http://localhost:5173,' },
    { widget: expect.objectContaining({ kioskOrigins }) },
  ],
  [
    { SVC_KIOSK_URL: 'https://kiosk.example.org/door' },
    { widget: expect.objectContaining({ kioskOrigins: ['https://kiosk.example.org'] }) },
  ],
  // The demo is on a developer's machine alone.
  [{}, { demo: true }],
  [{ PORT: '4000', HOST: 'localhost', LOG_LEVEL: 'debug' }, { demo: true }],
  [{ HOST: '::1' }, { demo: true }],
  [{ SVC_DEMO: 'off' }, { demo: false }],
  [{ HOST: '0.0.0.0' }, { demo: false }],
  [{ DATABASE_URL: 'postgres://u:p@h/d' }, { demo: false }],
  [{ SVC_KEK_FILE: '/run/secrets/kek' }, { demo: false }],
  [{ SVC_KEK: 'k1:AAAA' }, { demo: false }],
  [{ SVC_KEY_STORE_DIR: '/keys' }, { demo: false }],
  [database, { demo: false }],
  [{ SVC_SIGNING_KEY_FILE: '/run/secrets/signing' }, { demo: false }],
  [{ SVC_WIDGET_URL: 'https://widget.example.org' }, { demo: false }],
  [{ SVC_KIOSK_URL: 'https://kiosk.example.org' }, { demo: false }],
  [{ SVC_TRUST_PROXY: '1' }, { demo: false }],
  [{ NODE_ENV: 'production' }, { demo: false }],
  [{ ...release, NODE_ENV: 'production', SVC_EMBEDDED_DATABASE: 'yes' }, { databaseUrl: null }],
  [{ SVC_DEMO: 'on', DATABASE_URL: 'postgres://u:p@h/d' }, { demo: true }],
])('%j is read as %j', (environment, expected) => {
  expect(readConfig(environment)).toMatchObject(expected);
});

it.each([
  ['PORT', '65536'],
  ['SVC_DRAIN_MS', '300001'],
  ['DATABASE_URL', 'mysql://canary'],
  ['SVC_KEY_DATABASE_URL', 'mysql://canary'],
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
  ['SVC_BACKUP_RETENTION_DAYS', '0'],
  ['SVC_ACCEPT_OLD_BACKUP', 'true'],
  ['SVC_EMBEDDED_DATABASE', 'on'],
  ['SVC_DATABASE_CONNECTIONS', '1'],
  ['SVC_API_URL', 'https://api.example.org/v1'],
  ['SVC_WIDGET_URL', 'http://widget.localhost.example.org'],
  ['SVC_WIDGET_URL', 'widget.example.org'],
  ['SVC_WIDGET_URL', 'http://widget.example.org'],
  ['SVC_WIDGET_URL', 'https://user:secret@widget.example.org'],
  ['SVC_WIDGET_URL', 'https://widget.example.org/?a=b'],
  ['SVC_WIDGET_URL', 'https://widget.example.org/#'],
  ['SVC_WIDGET_URL', 'https://user@widget.example.org'],
  ['SVC_WIDGET_URL', 'https://user:secret@widget example.org'],
  ['SVC_WIDGET_URL', 'ftp://localhost'],
  ['SVC_WIDGET_URL', 'javascript:alert(1)'],
  ['SVC_KIOSK_URL', 'http://kiosk.example.org'],
  ['SVC_KIOSK_ORIGINS', '*'],
  ['SVC_KIOSK_ORIGINS', 'https://a.example.org/app'],
  ['SVC_DEMO', 'yes'],
])('refuses %s=%s by name, without its value', (name, value) => {
  const read = () => readConfig({ [name]: value });
  expect(read).toThrow(ConfigurationError);
  expect(read).toThrow(`${name} must be `);
  if (value.length > 1) expect(read).not.toThrow(value);
});

it.each<[Record<string, string>, string]>([
  [{ SVC_RATE_LIMIT_DEVISE: 'canary' }, 'SVC_RATE_LIMIT_DEVISE is not a setting; did you mean SVC_RATE_LIMIT_DEVICE?'],
  [{ SVC_ORCHARD: 'canary' }, 'SVC_ORCHARD is not a setting; docs/reference/settings.md lists them'],
  [{ SVC_RELEASE: '/opt/svc' }, 'SVC_DATA_DIR must be set'],
  [{ ...release, NODE_ENV: 'production' }, 'DATABASE_URL must be set in production'],
  [{ ...database, SVC_KEY_STORE_DIR: '/keys' }, 'cannot be used together'],
  [{ SVC_KEY_SECRETS_DIR: '/secrets' }, 'needs SVC_KEY_DATABASE_URL'],
  [{ SVC_MAIL_FROM: 'a@example.org' }, 'SVC_MAIL_FROM needs SVC_SMTP_URL'],
  [{ ...database, DATABASE_URL: database.SVC_KEY_DATABASE_URL }, 'a different database'],
  [{ SVC_DEMO: 'on', HOST: '0.0.0.0' }, 'SVC_DEMO must not be on'],
  [{ SVC_DEMO: 'on', NODE_ENV: 'production' }, 'SVC_DEMO must not be on'],
  [{ SVC_API_URL: separate.SVC_API_URL }, 'SVC_API_URL needs SVC_WIDGET_URL'],
  [{ ...separate, SVC_DEMO: 'on' }, 'SVC_API_URL and SVC_DEMO=on cannot be used together'],
  [{ ...separate, SVC_KIOSK_URL: 'https://API.example.org:444/kiosk/' }, 'SVC_API_URL and SVC_KIOSK_URL must have'],
  [{ ...separate, SVC_DASHBOARD_URL: separate.SVC_WIDGET_URL }, 'SVC_WIDGET_URL and SVC_DASHBOARD_URL must have'],
  [{ ...separate, SVC_DASHBOARD_URL: 'https://dashboard.example.org' }, 'SVC_DASHBOARD_URL must end with /dashboard/'],
])('refuses %j', (environment, message) => {
  expect(() => readConfig(environment)).toThrow(message);
});

it.each(Object.keys(settings.shape))('guesses that %s was meant, with a wrong prefix or a letter too few', (name) => {
  const [, prefix = '', stem = ''] = /^(SVC_)?(.+)$/.exec(name) ?? [];
  const wrong = [`SVC_${stem.slice(1)}`, ...(prefix === '' ? [`SVC_${stem}`, `SVC_${stem.slice(0, -1)}`] : [])];
  for (const typed of wrong) expect(() => readConfig({ [typed]: 'x' })).toThrow(`did you mean ${name}?`);
});

it('is called as its operator can call it', () => {
  expect([operatorCommand({}), operatorCommand(release)]).toEqual(['npm run svc --', 'svc']);
});

it('is what docs/reference/settings.md says; write it anew with scripts/write-settings.ts', () => {
  const page = readFileSync(new URL('../../../../docs/reference/settings.md', import.meta.url), 'utf8');
  expect(page).toContain(`\n\n${renderSettings()}\n\n`);
});
