import { type ConsentRecordResource, DAY_MS } from '@svc/protocol';
import { beforeEach, describe, expect, it } from 'vitest';
import { type BodyOptions, createList, enrolBody, enrolPerson, inDatabase } from '../../testing/enrolment-fixture.ts';
import { loseKeys } from '../../testing/key-stores.ts';
import { useApi } from '../../testing/use-api.ts';
import { createStage } from '../../testing/widget-fixture.ts';
import { verifyLedger } from './chain.ts';

const { api, clock, customer } = useApi();

const NDJSON = { headers: { Accept: 'application/x-ndjson' } };

interface Page {
  readonly items: ConsentRecordResource[];
  readonly nextCursor: string | null;
}

/** Enrolments are a millisecond apart, as the order of records within a millisecond is undefined. */
async function enrol(listId: string, o: BodyOptions = {}): Promise<void> {
  clock.advance(1);
  expect((await enrolPerson(listId, enrolBody(clock, o), customer)).status).toBe(201);
}

async function read(query = '', owner = customer): Promise<Page> {
  const answer = await owner.request<Page>('GET', `/v1/consents${query}`);
  expect(answer.status).toBe(200);
  return answer.body;
}

async function exported(query = '', owner = customer): Promise<string> {
  const response = await fetch(`${api.url}/v1/consents${query}`, {
    headers: { 'X-Api-Key': owner.apiKey, ...NDJSON.headers },
  });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/x-ndjson']);
  return response.text();
}

const linesOf = (text: string): Record<string, unknown>[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
const verify = (accountId = customer.accountId) => verifyLedger(api.admin.consents.export(accountId));
const problems = async () => (await verify()).findings.map(({ problem, seq }) => `${problem} ${seq}`);
const change = (sql: string, ...values: unknown[]) =>
  inDatabase(api, `${sql} AND account_id = $1`, [customer.accountId, ...values]);

describe('the ledger', () => {
  it('tells who consented to what, when, how and until when, and who withdrew; oldest first, no biometrics', async () => {
    const listId = await createList(customer);
    const givenAt = new Date(clock.now() - 60_000).toISOString();
    await enrol(listId, { personId: 'Zoë', consent: { givenAt, under16: true, guardianConsent: true } });
    clock.advance(1_000);
    const erased = `/v1/lists/${listId}/people/${encodeURIComponent('Zoë')}?reason=consent-withdrawn`;
    expect((await customer.request('DELETE', erased)).status).toBe(204);
    const { items, nextCursor } = await read();
    const deadline = new Date(clock.now() - 1_000 + 365 * DAY_MS).toISOString();
    const withdrawn = {
      ...{ consentId: expect.any(String), listId, personId: 'Zoë', kind: 'withdrawn', faceDeleteAfter: deadline },
      ...{
        recordedAt: new Date(clock.now()).toISOString(),
        seq: 2,
        entryHash: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
      ...{ consentVersion: null, givenAt: null, explicitBiometricConsent: null, writtenRelease: null, under16: null },
      ...{ guardianConsent: null, shownBy: null, wordingSha256: null, wordingLanguage: null },
    };
    expect(items).toEqual([
      {
        ...{ ...withdrawn, kind: 'given', recordedAt: new Date(clock.now() - 1_000).toISOString(), seq: 1 },
        ...{ consentVersion: 'eu-v2', givenAt, explicitBiometricConsent: true, writtenRelease: true, under16: true },
        ...{ guardianConsent: true, shownBy: 'organiser' },
      },
      withdrawn,
    ]);
    expect(nextCursor).toBeNull();
    expect((await verify()).valid).toBe(true);
  });

  it('names the form that was signed on paper, also before the wording was published, and never the wording', async () => {
    const listId = await createList(customer);
    const paperForm = { version: 'members-2019', wordingSha256: 'ab'.repeat(32), language: 'de' };
    const givenAt = '2019-05-01T00:00:00.000Z';
    await enrol(listId, { consent: { givenAt, paperForm } });
    expect((await read()).items).toMatchObject([
      {
        ...{ consentVersion: 'paper:members-2019', shownBy: 'organiser', givenAt, seq: 1 },
        ...{ wordingSha256: paperForm.wordingSha256, wordingLanguage: 'de' },
      },
    ]);
    expect((await verify()).valid).toBe(true);
    const other = enrolBody(clock, { consent: { givenAt, paperForm, consentVersion: 'uk-v2' } });
    expect((await enrolPerson(listId, other, customer)).body).toMatchObject({ code: 'consent-version-mismatch' });
  });

  it('says nothing of an erasure for another reason', async () => {
    const listId = await createList(customer);
    await enrol(listId);
    await customer.request('DELETE', `/v1/lists/${listId}/people/ticket-1`);
    expect((await read()).items.map(({ kind }) => kind)).toEqual(['given']);
  });

  it('filters by list and person, and outlives the list', async () => {
    const [first, second] = [await createList(customer), await createList(customer)];
    for (const listId of [first, second]) {
      for (const personId of ['a', 'b']) await enrol(listId, { personId });
    }
    const found = async (query: string) =>
      (await read(query)).items.map((record) => [record.listId, record.personId, record.seq]);
    const expected = [
      [first, 'a', 1],
      [first, 'b', 2],
    ];
    expect(await found(`?listId=${first}`)).toEqual(expected);
    expect((await customer.request('DELETE', `/v1/lists/${first}`)).status).toBe(204);
    expect(await found(`?listId=${first}`)).toEqual(expected);
    expect(await found('?personId=b')).toEqual([
      [first, 'b', 2],
      [second, 'b', 2],
    ]);
    expect(await found(`?personId=b&listId=${second}`)).toEqual([[second, 'b', 2]]);
    expect(await found('?personId=nobody')).toEqual([]);
    expect((await verify()).heads.map(({ length }) => length)).toEqual([2, 2]);
  });

  it('comes in pages', async () => {
    const listId = await createList(customer);
    for (let index = 0; index < 5; index += 1) await enrol(listId, { personId: `p${index}` });
    const found: unknown[] = [];
    for (let cursor = ''; found.length < 5; ) {
      const page = await read(`?limit=2${cursor}`);
      expect(page.items.length).toBe(found.length < 4 ? 2 : 1);
      found.push(...page.items.map(({ personId }) => personId));
      cursor = `&cursor=${page.nextCursor}`;
      expect(page.nextCursor === null).toBe(found.length === 5);
    }
    expect(found).toEqual(['p0', 'p1', 'p2', 'p3', 'p4']);
  });
});

describe('an export', () => {
  it('is every list’s chain with its head, and ends with a line that says so', async () => {
    const lists = [await createList(customer), await createList(customer)].toSorted();
    for (const listId of lists) await enrol(listId);
    await enrol(lists[0] ?? '');
    const text = await exported();
    const lines = linesOf(text);
    const types = lines.map(({ type }) => type).join(' ');
    expect(types).toBe('ledger chain entry entry head chain entry head end');
    expect(lines[0]).toMatchObject({ format: 'svc-consent-ledger/1', accountId: customer.accountId });
    expect(lines.at(-1)).toMatchObject({ chains: 2, entries: 3, unchained: 0 });
    const report = await verifyLedger(bytesOf(text));
    expect(report).toMatchObject({ valid: true, accountId: customer.accountId, entries: 3 });
    expect(report.heads.map(({ listId, length }) => [listId, length])).toEqual([
      [lists[0], 2],
      [lists[1], 1],
    ]);
    expect(linesOf(await exported(`?listId=${lists[1]}`)).at(-1)).toMatchObject({ chains: 1, entries: 1 });
  });

  it('is cut where it cannot go on, never rounded off', async () => {
    await enrol(await createList(customer));
    await loseKeys(api.config, customer.accountId);
    await expect(exported()).rejects.toThrow();
  });

  it('ends when the caller leaves', async () => {
    const listId = await createList(customer);
    await enrol(listId);
    await lengthen(listId, 2_000);
    for (let times = 0; times < 3; times += 1) {
      const controller = new AbortController();
      const headers = { 'X-Api-Key': customer.apiKey, ...NDJSON.headers };
      const response = await fetch(`${api.url}/v1/consents`, { headers, signal: controller.signal });
      await response.body?.getReader().read();
      controller.abort();
    }
    expect((await read('?limit=1')).items).toHaveLength(1);
  });

  it('is that of an empty ledger too', async () => {
    expect((await verifyLedger(bytesOf(await exported()))).valid).toBe(true);
  });

  it('is whole: not of one person', async () => {
    const answer = await customer.request('GET', '/v1/consents?personId=a', undefined, NDJSON);
    expect(answer.body).toMatchObject({ code: 'invalid-request', errors: [{ parameter: 'personId' }] });
  });

  it.each([
    ['application/json', 'application/json'],
    ['*/*', 'application/json'],
    ['application/x-ndjson;q=0.5, application/json', 'application/json'],
    ['application/x-ndjson, application/json;q=0.5', 'application/x-ndjson'],
    ['text/html', 'application/json'],
  ])('Accept: %s is answered as %s', async (Accept, type) => {
    const response = await fetch(`${api.url}/v1/consents`, { headers: { 'X-Api-Key': customer.apiKey, Accept } });
    expect(response.headers.get('content-type')).toMatch(type);
    expect(response.headers.get('vary')).toMatch(/accept/i);
    await response.arrayBuffer();
  });

  it('is more than a batch, and verifies while more is written', async () => {
    const listId = await createList(customer);
    await enrol(listId);
    await lengthen(listId, 1_300);
    const [text] = await Promise.all([exported(), enrol(listId), enrol(listId)]);
    const report = await verifyLedger(bytesOf(text));
    // the fabricated entries contain nothing to open
    expect(new Set(report.findings.map(({ problem }) => problem))).toEqual(new Set(['commitment-mismatch']));
    expect(report.heads[0]?.length).toBeGreaterThanOrEqual(1_301);
    const later = await verifyLedger(bytesOf(await exported()), report.heads);
    expect(later.heads[0]?.length).toBe(1_303);
    expect(later.findings.filter(({ problem }) => problem.startsWith('earlier'))).toEqual([]);
  });

  /** Fabricated entries in a valid chain. */
  async function lengthen(listId: string, count: number): Promise<void> {
    await inDatabase(
      api,
      `WITH RECURSIVE chain (seq, hash) AS (
         SELECT length, head FROM consent_chains WHERE list_id = $1
         UNION ALL SELECT seq + 1, sha256(hash || int8send(seq + 1) || sha256('')) FROM chain WHERE seq < $2 + 1
       ), rows AS (
         INSERT INTO consents (account_id, consent_id, list_id, kind, person_ref, person_id_sealed, shown_by, recorded_at,
                               seq, salt, commitment, entry_hash)
         SELECT $3, gen_random_uuid(), $1, 'given', sha256(''), '', 'organiser', now(), seq, sha256(''), sha256(''), hash
         FROM chain WHERE seq > 1
       )
       UPDATE consent_chains SET length = $2 + 1, head = (SELECT hash FROM chain ORDER BY seq DESC LIMIT 1)
       WHERE list_id = $1`,
      [listId, count, customer.accountId],
    );
  }
});

async function* bytesOf(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}

describe('the chain in the database', () => {
  let listId: string;
  beforeEach(async () => {
    listId = await createList(customer);
    for (const personId of ['a', 'b', 'c', 'd']) await enrol(listId, { personId });
    expect((await verify()).valid).toBe(true);
  });

  it.each([
    ['a changed record', 'UPDATE consents SET under16 = true WHERE seq = 2', ['commitment-mismatch 2']],
    ['another’s record', `UPDATE consents SET person_ref = sha256('') WHERE seq = 1`, ['commitment-mismatch 1']],
    ['a lost record', 'DELETE FROM consents WHERE seq = 2', ['sequence-broken 1', 'entry-hash-mismatch 3']],
    ['a lost last record', 'DELETE FROM consents WHERE seq = 4', ['head-mismatch 3']],
    ['a lost salt', 'UPDATE consents SET salt = NULL WHERE seq = 2', ['half-erased 2']],
  ])('gives away %s', async (_what, sql, expected) => {
    await change(sql);
    expect(await problems()).toEqual(expected);
  });

  it('has no gap and no fork when many are written at once', async () => {
    const other = await createList(customer);
    const lists = Array.from({ length: 24 }, (_, index) => (index % 3 === 0 ? other : listId));
    await Promise.all(lists.map((list, index) => enrol(list, { personId: `at-once-${index}` })));
    const { valid, heads } = await verify();
    expect(valid).toBe(true);
    expect(new Map(heads.map((head) => [head.listId, head.length]))).toEqual(
      new Map([
        [listId, 20],
        [other, 8],
      ]),
    );
  });
});

describe('evidence', () => {
  const purge = () => api.admin.consents.purge();

  it('is erased by its own retention, counted from the face’s deadline; the chain stays whole', async () => {
    const [short, long] = [
      await createList(customer, { name: 'Short', ongoing: true, retainDays: 2 }),
      await createList(customer, { name: 'Long', ongoing: true, retainDays: 1000 }),
    ];
    await enrol(short, { personId: 'canary-short' });
    await enrol(long, { personId: 'long' });
    await customer.request('DELETE', `/v1/lists/${short}/people/canary-short?reason=consent-withdrawn`);
    await api.admin.consents.setEvidenceRetainDays(customer.accountId, 30);
    const { heads } = await verify();
    clock.advance(32 * DAY_MS - 1_000);
    await purge();
    expect((await read()).items).toHaveLength(3);
    clock.advance(1_000);
    await purge();
    expect((await read()).items.map(({ personId }) => personId)).toEqual(['long']);
    expect((await read('?personId=canary-short')).items).toEqual([]);
    expect(await verify()).toMatchObject({ valid: true, entries: 3, erased: 2 });
    expect((await verifyLedger(api.admin.consents.export(customer.accountId), heads)).valid).toBe(true);
    const kept =
      'SELECT json_object_keys(json_strip_nulls(to_json(c))) AS key FROM consents c WHERE list_id = $1 AND seq = 1';
    const columns = (await inDatabase<{ key: string }>(api, kept, [short])).map(({ key }) => key);
    expect(columns.toSorted().join(' ')).toBe(
      'account_id commitment consent_id entry_hash erased_at list_id recorded_at seq',
    );
    await enrol(short, { personId: 'next' });
    expect((await verify()).valid).toBe(true);
  });

  it('of a withdrawal is kept as long as every consent it ends, also where the event’s end was moved sooner', async () => {
    const { eventId, listId } = await createStage(customer, clock, 10 * 24);
    const until = new Date(clock.now() + 10 * DAY_MS).toISOString();
    await enrol(listId, { personId: 'p' });
    const endsAt = new Date(clock.now() + DAY_MS).toISOString();
    expect((await customer.request('PATCH', `/v1/events/${eventId}`, { endsAt })).status).toBe(200);
    await enrol(listId, { personId: 'p' });
    await customer.request('DELETE', `/v1/lists/${listId}/people/p?reason=consent-withdrawn`);
    const told = async () => (await read()).items.map(({ kind, faceDeleteAfter }) => [kind, faceDeleteAfter]);
    expect((await told()).toSorted()).toEqual([
      ['given', endsAt],
      ['given', until],
      ['withdrawn', until],
    ]);
    await api.admin.consents.setEvidenceRetainDays(customer.accountId, 30);
    clock.advance(40 * DAY_MS - 1_000);
    await purge();
    expect(await told()).toEqual([
      ['given', until],
      ['withdrawn', until],
    ]);
    clock.advance(1_000);
    await purge();
    expect(await told()).toEqual([]);
    expect((await verify()).valid).toBe(true);
  });
});

describe('a wording for organisers', () => {
  it.each([
    ['eu-v2', '', {}, 'en'],
    ['us-v2', '?language=es-MX', {}, 'es'],
    ['eu-v2', '', { 'Accept-Language': 'xx, sv-SE;q=0.8, de;q=0.5' }, 'sv'],
    ['eu-v2', '', { 'Accept-Language': 'xx' }, 'en'],
    ['eu-v2', '?language=fr', { 'Accept-Language': 'de' }, 'fr'],
  ])('%s%s %j is answered in %s %s', async (version, query, headers, language) => {
    const answer = await customer.request('GET', `/v1/consent-wordings/${version}${query}`, undefined, { headers });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-language')).toBe(language);
    expect(answer.body).toMatchObject({ consentVersion: version, language, draft: true, wording: { language } });
  });

  it('is none of another version', async () => {
    expect((await customer.request('GET', '/v1/consent-wordings/eu-v1')).status).toBe(404);
  });
});
