import { describe, expect, it } from 'vitest';
import { ConfigurationError, readConfig } from './config.ts';

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

  it.each([
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', '80x'],
    ['SVC_DRAIN_MS', '300001'],
    ['DATABASE_URL', 'mysql://canary'],
    ['SVC_ENGINE', 'canary/3'],
    ['SVC_INFERENCE_WORKERS', '0'],
    ['SVC_INFERENCE_QUEUE', '1.5'],
    ['LOG_LEVEL', 'loud'],
    ['SVC_REGION', 'EU; canary'],
  ])('refuses %s=%s by name, without its value', (name, value) => {
    const read = () => readConfig({ [name]: value });
    expect(read).toThrow(ConfigurationError);
    expect(read).toThrow(name);
    expect(read).not.toThrow(value);
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
