import { execFile } from 'node:child_process';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import {
  createTestDatabase,
  listenOnLoopback,
  queryDatabase,
  removeDataDirectory,
  startTestApi,
} from '@svc/api/testing';
import { temporaryFolder } from '@svc/durable-fs/testing/folder';
import { isSecret, testPhoto } from '@svc/protocol';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { exitCodes } from './cli-error.ts';
import { runSvcHere, type SvcRun } from './testing/run-svc.ts';

let databaseUrl: string;
const dataDirectory = temporaryFolder();
let account: string;
/** Ends of a command line: of the account of all tests. */
let ofAccount: string;

/** @param line words of a command line, separated by spaces; `+` is a space within a word */
const svc = (line: string) => runSvcHere(line.split(' ').map((word) => word.replaceAll('+', ' ')));
/** Output of a command with `--json`. */
async function json<T>(line: string): Promise<T> {
  const run = await svc(`${line} --json`);
  expect({ code: run.code, stderr: run.code === 0 ? '' : run.stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(run.stdout) as T;
}
const refused = (run: SvcRun, message: string, code: number = exitCodes.usage) => {
  expect(run).toMatchObject({ code, stdout: '' });
  expect(run.stderr.trimEnd().split('\n')).toHaveLength(1);
  expect(run.stderr).toContain(message);
};

beforeAll(async () => {
  databaseUrl = await createTestDatabase(inject('postgres'));
  vi.stubEnv('DATABASE_URL', databaseUrl);
  vi.stubEnv('SVC_DATA_DIR', dataDirectory);
  const created = await json<{ accountId: string }>('account create --name Harbour+Hall --country de --currency eur');
  expect(created).toMatchObject({ country: 'DE', billingCurrency: 'EUR', plan: 'pilot' });
  account = created.accountId;
  ofAccount = `--account ${account}`;
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await removeDataDirectory(dataDirectory);
});

describe('svc account', () => {
  it('shows, suspends, resumes and, if confirmed, deletes', async () => {
    const { accountId } = await json<{ accountId: string }>(
      'account create --name Pier --country us --currency gbp --yes',
    );
    expect(await json(`account show ${accountId}`)).toMatchObject({
      billingCurrency: 'GBP',
      usage: { peopleLimit: 500 },
    });
    expect((await svc(`account show ${accountId}`)).stdout).toContain('people     0 of 500, period 1');
    expect(await json(`account suspend ${accountId}`)).toMatchObject({ suspendedAt: expect.any(String) });
    expect((await svc('account list')).stdout).toContain('suspended');
    expect(await json(`account resume ${accountId}`)).toMatchObject({ suspendedAt: null });
    refused(await svc(`account delete ${accountId}`), '--yes');
    expect(await json(`account delete ${accountId} --yes`)).toEqual({ accountId, deleted: true });
    refused(await svc(`account show ${accountId}`), '(not-found)');
    refused(await svc(`account suspend ${accountId}`), '(not-found)');
    expect((await svc(`audit --account ${accountId}`)).stdout).toContain('account.delete');
  });
});

describe('test accounts', () => {
  it('are made as such, have keys of their own, and are given photos', async () => {
    const { accountId } = await json<{ accountId: string }>('account create --name Tests --country de --test');
    expect(await json(`account show ${accountId}`)).toMatchObject({ mode: 'test', usage: { peopleLimit: null } });
    const key = (await svc(`key create --account ${accountId}`)).stdout.trim();
    expect(isSecret('svct', key)).toBe(true);
    const folder = join(dataDirectory, 'photos');
    expect((await svc(`test-photos ${folder}`)).stdout).toContain(join(folder, 'no-face.png'));
    expect(await readFile(join(folder, 'enrolled.png'))).toEqual(Buffer.from(testPhoto('enrolled')));
    refused(await svc(`test-photos ${join(folder, 'enrolled.png')}`), 'cannot be written');
    refused(await svc('account create --name Tests --test --plan none'), '--plan');
    const listen = 'webhook listen --url http://localhost:1';
    refused(await svc('webhook listen --url http://a.example --forward-to http://user:x@localhost'), 'without user');
    refused(await svc(`${listen} --forward-to ftp://localhost`), 'http address');
    refused(await svc(`${listen} --forward-to http://localhost:1`), 'SVC_API_KEY');
    vi.stubEnv('SVC_API_KEY', key);
    refused(await svc(`${listen} --forward-to http://localhost:1`), 'cannot be reached', exitCodes.environment);
    refused(await svc('webhook listen --url http://a.example --forward-to http://localhost:1'), 'https');
    vi.stubEnv('SVC_API_KEY', undefined);
  });
});

describe('svc quickstart', () => {
  it('makes all that a first visit needs, and prints three links that work', async () => {
    const made = await json<Record<string, string>>('quickstart --name First+Hall --country gb');
    expect(isSecret('svck', made.apiKey ?? '')).toBe(true);
    expect(isSecret('svcd', made.deviceToken ?? '')).toBe(true);
    for (const [link, page] of [
      ['guestUrl', 'widget'],
      ['pairingUrl', 'kiosk'],
      ['invitationUrl', 'dashboard'],
    ] as const)
      expect(made[link]).toMatch(new RegExp(`^http://localhost:3000/${page}`));
    expect(await json(`list show ${made.listId ?? ''} --account ${made.accountId ?? ''}`)).toMatchObject({
      ...{ eventId: made.eventId, consentVersion: 'uk-v2' },
    });
    const printed = await svc('quickstart');
    expect(printed.stdout.split('\n').map((line) => line.split(/\s/, 1)[0])).toEqual(
      expect.arrayContaining(['guest', 'door', 'dashboard', 'ticket']),
    );
    expect(printed.stderr).toContain('secrets');
    refused(await svc('quickstart --country xx'), 'ISO 3166-1');
    refused(await svc('quickstart --email nobody'), 'email');
  });
});

describe('svc key', () => {
  it('prints a key once, and lists keys by name', async () => {
    const created = await svc(`key create ${ofAccount} --name box+office`);
    const key = created.stdout.trim();
    expect(isSecret('svck', key)).toBe(true);
    const keys = await json<{ keyId: string }[]>(`key list ${ofAccount}`);
    const [{ keyId } = { keyId: '' }] = keys;
    const unlimited = { scopes: null, expiresAt: null, lastUsedAt: null, revokedAt: null, metadata: {} };
    expect(keys).toEqual([{ keyId, name: 'box office', createdAt: expect.any(String), ...unlimited }]);
    vi.spyOn(process, 'stdin', 'get').mockImplementation(() => Readable.from([`${key}\n`]) as typeof process.stdin);
    expect((await json<{ key: object }>('key identify')).key).toMatchObject({ keyId, name: 'box office' });
    expect((await svc('key identify')).stdout).toContain(account);
    expect(await json(`key revoke ${keyId} ${ofAccount}`)).toEqual({ keyId, revoked: true });
    const shown = await svc(`key list ${ofAccount}`);
    expect(shown.stdout).toMatch(/box office/);
    refused(await svc('key identify'), '(invalid-credential)');
    vi.restoreAllMocks();
    expect(`${shown.stdout}${created.stderr}`).not.toContain(key);
  });
});

it('svc key makes keys with fewer rights and an end', async () => {
  const given = '--scope people:write lists:read --expires 2999-01-01 --metadata system=shop-2';
  const made = await svc(`key create ${ofAccount} ${given}`);
  expect(made.code).toBe(0);
  const keys = await json<object[]>(`key list ${ofAccount}`);
  expect(keys.at(-1)).toMatchObject({
    ...{ scopes: ['people:write', 'lists:read'], expiresAt: '2999-01-01T00:00:00.000Z' },
    metadata: { system: 'shop-2' },
  });
  refused(await svc(`key create ${ofAccount} --metadata nothing`), 'key=value');
  refused(await svc(`key create ${ofAccount} --metadata a[b]=c`), 'square brackets');
  refused(await svc(`key create ${ofAccount} --scope everything`), 'Allowed choices');
  refused(await svc(`key create ${ofAccount} --expires 2001-01-01`), 'invalid-request');
});

describe('svc user', () => {
  type User = { userId: string; email: string; role: string };

  it('prints a link once for who is invited, and keeps no more than its hash', async () => {
    const invited = await svc(`user invite ${ofAccount} --email Robin@Example.org --role owner`);
    const [, token = ''] = invited.stdout.trim().split('#');
    expect(invited.stdout).toContain('http://localhost:3000/dashboard/invitation#');
    expect(isSecret('svcl', token)).toBe(true);
    expect(invited.stderr).not.toContain(token);
    const [user] = await json<User[]>(`user list ${ofAccount}`);
    expect(user).toMatchObject({ email: 'robin@example.org', role: 'owner', name: 'Robin' });
    expect((await svc(`user list ${ofAccount}`)).stdout).toMatch(/owner +invited +0/);
    const again = await svc(`user link ${user?.userId ?? ''} ${ofAccount}`);
    expect(isSecret('svcl', again.stdout.trim().split('#')[1] ?? '')).toBe(true);
    const links = 'SELECT 1 FROM user_links WHERE user_id = $1';
    expect(await queryDatabase(databaseUrl, links, [user?.userId])).toHaveLength(1);
  });

  it('disables, enables and, if confirmed, removes', async () => {
    const { userId } = await json<User>(`user invite ${ofAccount} --email a@b.example --role door`);
    const of = `${userId} ${ofAccount}`;
    expect(await json(`user disable ${of}`)).toMatchObject({ disabledAt: expect.any(String) });
    refused(await svc(`user link ${of}`), '(user-disabled)');
    expect(await json(`user enable ${of}`)).toMatchObject({ disabledAt: null });
    refused(await svc(`user remove ${of}`), '--yes');
    expect(await json(`user remove ${of} --yes`)).toEqual({ userId, removed: true });
    refused(await svc(`user remove ${of} --yes`), '(not-found)');
    expect((await svc(`audit ${ofAccount}`)).stdout).toContain('user.remove');
  });

  it('refuses who is there already', async () => {
    refused(await svc(`user invite ${ofAccount} --email ROBIN@example.org --role door`), '(user-exists)');
  });
});

describe('svc plan', () => {
  it('sets, shows and restarts', async () => {
    const contract = { plan: 'contract', peopleLimit: 900 };
    expect(await json(`plan set contract --people 900 ${ofAccount}`)).toMatchObject(contract);
    expect(await json(`plan new-period ${ofAccount}`)).toMatchObject({ period: 2, peopleBilled: 0 });
    expect((await svc(`plan set unlimited ${ofAccount}`)).stdout).toContain('0 of any number');
    expect(await json(`plan show ${ofAccount}`)).toMatchObject({ plan: 'unlimited', peopleLimit: null });
    expect((await svc(`plan set none ${ofAccount}`)).stdout).toContain('plan    none');
    expect((await svc(`plan set pilot ${ofAccount}`)).code).toBe(0);
  });

  it.each([
    ['plan set contract --account acc_x', 'a contract needs --people'],
    ['plan set contract --people 0 --account acc_x', 'a contract needs --people'],
    ['plan set pilot --people 9 --account acc_x', 'only for the plan contract'],
    ['plan set gold --account acc_x', 'Allowed choices'],
    ['plan new-period --account acc_x', '(not-found)'],
  ])('%s ends in 2', async (line, message) => refused(await svc(line), message));
});

const times = '--starts 2999-06-01T18:00:00Z --ends 2999-06-01T23:00:00Z';

describe('svc event', () => {
  it('creates an event whose guests can be invited, lists and shows it', async () => {
    const organiser = '--organiser Harbour+Hall --privacy-notice https://example.org/faces';
    const made = await svc(
      `event create ${ofAccount} --name Premiere --country fr --place Pier+2 --metadata hall=2 ${times} ${organiser}`,
    );
    expect(made).toMatchObject({ code: 0, stderr: '' });
    const eventId = made.stdout.trim();
    const list = await json(`list create ${ofAccount} --name Guests --event ${eventId}`);
    expect(list).toMatchObject({ retainDays: 1 });
    const invited = await svc(`token create ${ofAccount} --event ${eventId} --ticket T-1`);
    expect(isSecret('svce', invited.stdout.trim())).toBe(true);
    expect(await json(`event show ${eventId} ${ofAccount}`)).toMatchObject({
      ...{ country: 'FR', place: 'Pier 2', metadata: { hall: '2' } },
      counts: { people: 0 },
    });
    expect((await svc(`event show ${eventId} ${ofAccount}`)).stdout).toMatch(
      /^metadata +\{"hall":"2"\}\n[\s\S]*^organiserName +Harbour Hall$/m,
    );
    expect((await svc(`event list ${ofAccount}`)).stdout).toMatch(new RegExp(`${eventId} +upcoming +2999-`));
  });

  it.each([
    ['--starts 2999-06-02T00:00:00Z --ends 2999-06-01T00:00:00Z', 'endsAt: must be later than startsAt'],
    [`${times} --organiser Hall`, 'must be used together'],
    [`${times} --organiser Hall --privacy-notice http://example.org`, 'privacyNoticeUrl'],
  ])('refuses %s', async (options, message) =>
    refused(await svc(`event create ${ofAccount} --name Concert ${options}`), message),
  );
});

describe('svc list, device, token and webhook', () => {
  it('manage a list through its life', async () => {
    const of = ofAccount;
    const create = `list create ${of} --name Members --ongoing --metadata order=8812=A --metadata season=2026`;
    const { listId, metadata } = await json<{ listId: string; metadata: object }>(create);
    expect(metadata).toEqual({ order: '8812=A', season: '2026' });
    const added = await svc(`device add ${of} --list ${listId} --name North+gate --metadata gate=N`);
    const token = added.stdout.trim();
    expect(isSecret('svcd', token)).toBe(true);
    // Not on a terminal: no QR code.
    expect(added.stdout + added.stderr).not.toMatch(/[█▀▄]/);
    const devices = await json<{ deviceId: string }[]>(`device list ${of} --list ${listId}`);
    expect(devices).toMatchObject([{ metadata: { gate: 'N' } }]);
    expect(JSON.stringify(devices)).not.toMatch(/token|sha256/i);
    const [{ deviceId } = { deviceId: '' }] = devices;
    expect(await json(`device revoke ${deviceId} ${of} --list ${listId}`)).toEqual({ deviceId, revoked: true });
    expect(await json(`device list ${of} --list ${listId}`)).toEqual([]);
    const paired = await json<{ token: string; pairingUrl: string }>(`device add ${of} --list ${listId}`);
    expect(paired.pairingUrl).toBe(`http://localhost:3000/kiosk/#${paired.token}`);

    expect((await svc(`list show ${listId} ${of}`)).stdout).toMatch(/^state +open$/m);
    const change = '--name Guests --re-entry warn --attendance unattended';
    await svc(`list update ${listId} ${of} --head-turn staff`);
    refused(await svc(`list update ${listId} ${of} ${change}`), 'headTurnAlternative');
    const { stdout } = await svc(`list update ${listId} ${of} ${change} --head-turn light`);
    expect(stdout).toMatch(/^doors +unattended$/m);
    expect(await json(`list update ${listId} ${of} --no-check-in-url --metadata order=`)).toMatchObject({
      ...{
        name: 'Guests',
        metadata: { season: '2026' },
        reEntry: 'warn',
        attendance: 'unattended',
        headTurnAlternative: 'light',
        checkInUrl: null,
      },
    });
    const elsewhere = '--check-in-url https://door.example/';
    refused(await svc(`list update ${listId} ${of} ${elsewhere}`), '(check-in-origin-not-allowed)');
    const { secret } = await json<{ secret: string }>(`list rotate-check-in-secret ${listId} ${of}`);
    expect(secret).toMatch(/^whsec_/);
    expect((await svc(`list show ${listId} ${of}`)).stdout).not.toContain(secret);
    expect(await json(`list close ${listId} ${of}`)).toMatchObject({ enrollmentClosedAt: expect.any(String) });
    expect((await svc(`list list ${of}`)).stdout).toMatch(new RegExp(`${listId} +closed`));
    expect((await svc(`list end ${listId} ${of}`)).stderr).toContain('ended');
    refused(await svc(`list delete ${listId} ${of}`), '--yes');
    expect(await json(`list delete ${listId} ${of} --yes`)).toEqual({ listId, deleted: true });
    refused(await svc(`list show ${listId} ${of}`), '(not-found)');
    refused(await svc(`device add ${of} --list ${listId}`), '(not-found)');
  });

  it('cannot create a token without widget settings, and have no webhook yet', async () => {
    const of = ofAccount;
    const { eventId } = await json<{ eventId: string }>(`event create ${of} --name Concert ${times}`);
    const event = `--event ${eventId}`;
    refused(await svc(`token create ${of} ${event} --ticket T-1`), '(widget-settings-missing)');
    const tooLong = await svc(`token create ${of} ${event} --ticket T-1 --valid-for-hours 337`);
    refused(tooLong, 'the token cannot be created: validForHours');
    expect(await json(`token list ${of} ${event}`)).toEqual([]);
    expect(await json(`webhook list ${of}`)).toEqual([]);
    refused(await svc(`webhook deliveries whk_unknown ${of}`), '(not-found)');
    refused(await svc(`webhook replay dlv_unknown ${of} --webhook whk_unknown`), '(not-found)');
  });
});

describe('svc audit', () => {
  it('shows the events, one page at a time', async () => {
    const first = await json<{ items: { action: string }[]; nextCursor: string }>(`audit ${ofAccount} --limit 2`);
    expect(first.items).toHaveLength(2);
    const next = await svc(`audit ${ofAccount} --limit 200 --cursor ${first.nextCursor}`);
    expect(next.stdout.trimEnd().split('\n').at(-1)).toMatch(/operator .+ account\.create +acc_/);
    expect(next.stderr).toBe('');
    expect((await svc('audit --deployment')).code).toBe(0);
    expect((await svc(`audit ${ofAccount} --since 2999-01-01`)).stdout.split('\n')).toHaveLength(2);
  });

  it.each([
    ['audit', '--account or --deployment'],
    ['audit --account acc_x --deployment', 'cannot be used with'],
    ['audit --account acc_x --since lately', 'ISO 8601'],
    ['audit --account acc_x --limit 0', 'from 1 to 200'],
  ])('%s ends in 2', async (line, message) => refused(await svc(line), message));
});

it('svc doctor finds a deployment in order, then each planted problem', async () => {
  expect(await svc('migrate')).toMatchObject({ code: 0, stderr: expect.stringContaining('up to date') });
  expect(await svc('doctor')).toMatchObject({ code: 0, stderr: expect.stringContaining('0 failed') });
  await chmod(join(dataDirectory, 'signing-key.pem'), 0o644);
  vi.stubEnv('SVC_KEK', Buffer.alloc(32, 7).toString('base64'));
  await queryDatabase(databaseUrl, "DELETE FROM schema_migrations WHERE name LIKE '0007%'");
  const ill = await svc('doctor');
  expect(ill.code).toBe(exitCodes.negative);
  expect(ill.stdout).toMatch(/^signing key +FAILED .*chmod 600/m);
  expect(ill.stdout).toMatch(/^KEK match +FAILED .*missing/m);
  expect(ill.stdout).toMatch(/^schema +warning .*1 migrations behind/m);
});

it('a database that cannot be reached, and an invalid setting, are told in one line', async () => {
  vi.stubEnv('DATABASE_URL', 'postgresql://nobody:canary@127.0.0.1:9/none');
  const run = await svc('account list');
  refused(run, 'the deployment cannot be opened', exitCodes.environment);
  expect(run.stderr).not.toContain('canary');
  const found = await svc('doctor');
  expect([found.code, found.stdout.includes('canary')]).toEqual([exitCodes.negative, false]);
  expect(found.stdout).toMatch(/^database +FAILED/m);
  expect(found.stdout).toMatch(/^models +warning +built-in engine/m);
  vi.stubEnv('SVC_INFERENCE_WORKERS', 'many');
  refused(await svc('doctor'), 'SVC_INFERENCE_WORKERS', exitCodes.environment);
});

it('the README’s commands, typed from top to bottom, print what they promise and end in a match', async () => {
  const readme = await readFile(new URL('../../../README.md', import.meta.url), 'utf8');
  const folder = temporaryFolder();
  const api = await startTestApi(inject('postgres'));
  const { databaseUrl: url, dataDirectory: data, modelsDirectory } = api.config;
  const settings = { DATABASE_URL: url ?? '', SVC_DATA_DIR: data, SVC_MODELS_DIR: modelsDirectory };
  vi.unstubAllEnvs();
  for (const [name, value] of Object.entries({ ...settings, SVC_INVOKED_FROM: folder, PORT: new URL(api.url).port }))
    vi.stubEnv(name, value);
  const said: string[] = [];
  const started = { code: 0, stdout: '', stderr: '' };
  // The shell's `npm`: what it runs of svc runs in this process, which has the sources loaded; the service runs already.
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const words = (await text(request)).split('\0');
    const input = Readable.from([words.pop() ?? '']) as typeof process.stdin;
    vi.spyOn(process, 'stdin', 'get').mockImplementation(() => input);
    const run = words.includes('svc') ? await runSvcHere(words.slice(words.indexOf('--') + 1)) : started;
    said.push(run.stderr);
    response.writeHead(run.code === 0 ? 200 : 500).end(run.stdout);
  };
  const npm = createServer((request, response) => void answer(request, response));
  const shell = await listenOnLoopback(npm);
  try {
    const sent = `printf '%s\\0' "$@"; case "$*" in *'svc -- visit'*) cat; esac`;
    const shim = `#!/bin/sh\n{ ${sent}; } | exec curl -sS --fail --data-binary @- ${shell.url}/\n`;
    await writeFile(join(folder, 'npm'), shim, { mode: 0o755 });
    const typed = [...readme.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block).join('');
    const script = typed.replaceAll('http://127.0.0.1:3000', api.url);
    const env = { ...process.env, PATH: `${folder}:${process.env.PATH}`, CLONE: folder };
    const typing = promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], { cwd: folder, env });
    const { stdout } = await typing.catch((error: Error) => expect.unreachable(`${error.message}\n${said.join('')}`));
    const promised = [...typed.matchAll(/^# (.+)$/gm)].map(([, line = '']) =>
      line.replaceAll(/[.{}]/g, '\\$&').replaceAll('…', '.+'),
    );
    expect([promised.length, promised.at(-1)]).toEqual([2, 'Match verified']);
    expect(stdout).toMatch(new RegExp(`^guest [^]*^${promised.join('[^]*')}\\n$`, 'm'));
  } finally {
    await shell.close();
    await api.close();
  }
});
