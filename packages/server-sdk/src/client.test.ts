import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createGuestLink } from './client.ts';
import type { NewPerson } from './enrolment.ts';
import { createFakeService, json, problem } from './testing/fake-service.ts';

const page = (ids: readonly string[], nextCursor: string | null) =>
  json({ items: ids.map((listId) => ({ listId })), nextCursor });

describe('a collection', () => {
  it('is one page when awaited', async () => {
    const { client, sent } = createFakeService([page(['a'], 'c1')]);
    const { items, nextCursor } = await client.listLists({ limit: 1, cursor: 'c0' });
    expect([items.map(({ listId }) => listId), nextCursor]).toEqual([['a'], 'c1']);
    expect(sent[0]?.url.search).toBe('?limit=1&cursor=c0');
  });

  it('is every item when iterated, an empty page in between included', async () => {
    const { client, sent } = createFakeService([page(['a', 'b'], 'c1'), page([], 'c2'), page(['c'], null)]);
    const seen: string[] = [];
    for await (const { listId } of client.listLists({ limit: 2 })) seen.push(listId);
    expect(seen).toEqual(['a', 'b', 'c']);
    expect(sent.map(({ url }) => url.search)).toEqual(['?limit=2', '?limit=2&cursor=c1', '?limit=2&cursor=c2']);
  });

  it('asks for no more than is used, and for nothing when it is not', async () => {
    const { client, sent } = createFakeService([page(['a'], 'c1')]);
    client.listLists();
    for await (const _list of client.listLists()) break;
    expect(sent).toHaveLength(1);
  });

  it('retries a page in the middle', async () => {
    const { client } = createFakeService([page(['a'], 'c1'), problem('overloaded'), page(['b'], null)]);
    const pages: number[] = [];
    for await (const { items } of client.listLists().pages()) pages.push(items.length);
    expect(pages).toEqual([1, 1]);
  });

  it('rejects as any call does', async () => {
    const { client } = createFakeService([problem('not-found')]);
    await expect(Promise.resolve(client.listPeople('lst_1'))).rejects.toMatchObject({ code: 'not-found' });
  });
});

describe('an export of the ledger', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());
  const ndjson = (...chunks: string[]) =>
    new Response(new Blob(chunks).stream(), { headers: { 'Content-Type': 'application/x-ndjson' } });

  it('comes line by line', async () => {
    const { client, sent } = createFakeService([ndjson('{"type":"led', 'ger"}\n{"type":"end"}\n')]);
    const types: string[] = [];
    for await (const { type } of client.exportConsents({ listId: 'lst_1' })) types.push(type);
    expect(types).toEqual(['ledger', 'end']);
    expect([sent[0]?.headers.get('accept'), sent[0]?.url.search]).toEqual(['application/x-ndjson', '?listId=lst_1']);
  });

  /** Sends a line every 50 s of {@link vi}'s clock, then calls `end`. */
  function slowly(lines: readonly string[], end: (controller: ReadableStreamDefaultController<Uint8Array>) => void) {
    let next = 0;
    return (_sent: unknown, signal: AbortSignal) => {
      const body = new ReadableStream<Uint8Array>(
        {
          start: (controller) => signal.addEventListener('abort', () => controller.error(signal.reason)),
          async pull(controller) {
            await vi.advanceTimersByTimeAsync(50_000);
            if (signal.aborted) return;
            const line = lines[next++];
            if (line === undefined) end(controller);
            else controller.enqueue(new TextEncoder().encode(`${line}\n`));
          },
        },
        { highWaterMark: 0 },
      );
      return Promise.resolve(new Response(body));
    };
  }
  const ledger = (count: number) => [...Array<string>(count).fill('{"type":"ledger"}'), '{"type":"end"}'];

  it('takes as long as it takes, where more keeps coming', async () => {
    const { client } = createFakeService([slowly(ledger(20), (controller) => controller.close())]);
    let lines = 0;
    for await (const _line of client.exportConsents()) lines += 1;
    expect(lines).toBe(21);
  });

  it.each([
    [
      'a connection that breaks',
      'connection-failed',
      (c: ReadableStreamDefaultController) => c.error(new TypeError('terminated')),
    ],
    ['silence', 'timed-out', () => void vi.advanceTimersByTimeAsync(60_001)],
    [
      'bytes that are no text',
      'unrecognised-answer',
      (c: ReadableStreamDefaultController) => c.enqueue(new Uint8Array([0xff, 10])),
    ],
    [
      'a line that is no JSON',
      'unrecognised-answer',
      (c: ReadableStreamDefaultController) => c.enqueue(new TextEncoder().encode('<html>\n')),
    ],
  ])('ends with a typed error at %s', async (_what, code, end) => {
    const { client, sent } = createFakeService([slowly(['{"type":"ledger"}'], end)]);
    const read = async () => {
      for await (const _line of client.exportConsents());
    };
    await expect(read()).rejects.toMatchObject({ name: 'SvcConnectionError', code });
    expect(sent).toHaveLength(1);
  });

  it('ends with the signal’s reason', async () => {
    const reason = new Error('never mind');
    const controller = new AbortController();
    const { client } = createFakeService([slowly(ledger(100), (end) => end.close())]);
    const read = async () => {
      for await (const _line of client.exportConsents({}, { signal: controller.signal })) controller.abort(reason);
    };
    await expect(read()).rejects.toBe(reason);
  });

  it.each(['', '{"type":"ledger"}\n', '{"type":"ledger"}\n{"type":"end"}'])(
    'that was cut off is none: %j',
    async (text) => {
      const { client } = createFakeService([ndjson(text)]);
      const read = async () => {
        for await (const _line of client.exportConsents());
      };
      await expect(read()).rejects.toMatchObject({ code: 'unrecognised-answer' });
    },
  );
});

describe('photos', () => {
  const consent: NewPerson['consent'] = {
    consentVersion: 'eu-v2',
    givenAt: 'then',
    explicitBiometricConsent: true,
    writtenRelease: true,
  };
  const image = Uint8Array.from([1, 2, 3]);
  const person = { personId: 'a', consent, image, additionalImages: [new Blob(['x']), image.buffer] };
  const consented = JSON.stringify(consent);
  /** `name=text` or, of bytes, `name=hex` for each part. */
  const read = async (form: FormData | null | undefined) => {
    const hex = async (part: Blob) => Buffer.from(await part.arrayBuffer()).toString('hex');
    const parts = [...(form ?? [])];
    return Promise.all(
      parts.map(async ([name, part]) => `${name}=${typeof part === 'string' ? part : await hex(part)}`),
    );
  };

  it('are sent as bytes, of several people by their place and within ten minutes', async () => {
    const timers = vi.spyOn(globalThis, 'setTimeout');
    const { client, sent } = createFakeService([json({}), json({}), json({})]);
    await client.enrolPerson('lst_1', person);
    await client.putPerson('lst_1', 'a/b', { consent, image }, { idempotencyKey: 'mine' });
    await client.enrolPeople('lst_1', [person, { personId: 'b', consent, image }]);
    expect(timers.mock.calls.map(([, ms]) => ms)).toEqual([60_000, 60_000, 600_000]);
    timers.mockRestore();
    const [a, b] = ['a', 'b'].map((personId) => `{"personId":"${personId}","consent":${consented}}`);
    const [posted, put, batch] = await Promise.all(sent.map(({ form }) => read(form)));
    expect(posted).toEqual([`person=${a}`, 'photo=010203', 'additionalPhoto=78', 'additionalPhoto=010203']);
    expect(put).toEqual([`person={"consent":${consented}}`, 'photo=010203']);
    expect(batch).toEqual([
      `people={"people":[${a},${b}]}`,
      ...['photo.0=010203', 'additionalPhoto.0=78', 'additionalPhoto.0=010203', 'photo.1=010203'],
    ]);
    expect([sent[1]?.url.pathname, sent[1]?.method]).toEqual(['/v1/lists/lst_1/people/a%2Fb', 'PUT']);
    expect(sent.map(({ headers }) => headers.get('idempotency-key'))).toEqual(['key-1', 'mine', 'key-2']);
    expect(sent.map(({ headers }) => headers.get('content-type'))).toEqual([null, null, null]);
  });

  it('are sent as JSON to a service that takes no forms, from then on', async () => {
    const { client, sent } = createFakeService([problem('unsupported-media-type'), json({}), problem('no-face')]);
    await client.enrolPerson('lst_1', person);
    await expect(client.enrolPerson('lst_1', person)).rejects.toMatchObject({ code: 'no-face' });
    expect(sent.map(({ form }) => form !== null)).toEqual([true, false, false]);
    expect(sent.map(({ headers }) => headers.get('idempotency-key'))).toEqual(['key-1', 'key-1', 'key-2']);
    const photos = { imageBase64: 'AQID', additionalImagesBase64: ['eA==', 'AQID'] };
    expect(JSON.parse(sent[2]?.body ?? '')).toEqual({ personId: 'a', consent, ...photos });
  });
});

it('a guest link is the token’s, without the token itself', async () => {
  const answer = {
    tokenId: 'tok_1',
    token: 'svce_1',
    ticketId: 'T',
    expiresAt: 'then',
    url: 'https://w.example/#svce_1',
  };
  const { client, sent } = createFakeService([json(answer, 201)]);
  const link = await createGuestLink(client, 'evt_1', { ticketId: 'T', validForHours: 72 });
  expect(link).toEqual({ url: answer.url, tokenId: 'tok_1', expiresAt: 'then' });
  expect(sent[0]?.body).toBe('{"ticketId":"T","validForHours":72}');
});
