import { PassThrough } from 'node:stream';
import type { Request, Response } from 'express';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { FairQuota, guestsShare, serverShare } from '../platform/fair-share.ts';
import { readBody, SLOWEST_BODY } from './body.ts';

const schema = z.object({ name: z.string(), imageBase64: z.string().optional() });
const isPhoto = (pointer: string) => pointer === '/imageBase64';

function createRequest(contentLength?: number, type = 'application/json') {
  const stream = new PassThrough();
  const headers = {
    'content-type': type,
    ...(contentLength === undefined ? { 'transfer-encoding': 'chunked' } : { 'content-length': String(contentLength) }),
  };
  return { stream, request: Object.assign(stream, { headers }) as unknown as Request };
}

function read(request: Request, whole = new FairQuota(2 ** 20), share = serverShare('acc_1')) {
  const memory = { whole, share };
  const jsonPart = 'person';
  return readBody(request, {} as Response, schema, { memory, hashed: true, isPhoto, jsonPart, limitBytes: 2 ** 20 });
}

async function readText(text: string | Buffer) {
  const { stream, request } = createRequest();
  stream.end(text);
  return read(request);
}

describe('a slow body', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('that arrives too slowly is aborted and its memory released', async () => {
    const whole = new FairQuota(2 ** 20);
    const { stream, request } = createRequest(100_000);
    const chunk = Buffer.alloc(SLOWEST_BODY.bytes - 1, 'x');
    const refused = expect(read(request, whole)).rejects.toMatchObject({ code: 'request-timeout' });
    stream.write(chunk);
    await vi.advanceTimersByTimeAsync(SLOWEST_BODY.withinMs - 1);
    expect(whole.held).toBe(chunk.length);
    await vi.advanceTimersByTimeAsync(2);
    await refused;
    expect(whole.held).toBe(0);
    expect(chunk.every((byte) => byte === 0)).toBe(true);
  });

  it('that keeps its pace is read until the deadline, and one that ends is read', async () => {
    const { stream, request } = createRequest();
    const refused = expect(read(request)).rejects.toMatchObject({ code: 'request-timeout' });
    let windows = 0;
    for (; windows < 5; windows += 1) {
      stream.write(Buffer.alloc(SLOWEST_BODY.bytes, ' '));
      await vi.advanceTimersByTimeAsync(SLOWEST_BODY.withinMs);
    }
    stream.write(Buffer.alloc(SLOWEST_BODY.bytes, ' '));
    await vi.advanceTimersByTimeAsync(60_000 - windows * SLOWEST_BODY.withinMs + 1);
    await refused;
    const short = createRequest();
    const value = read(short.request);
    await vi.advanceTimersByTimeAsync(SLOWEST_BODY.withinMs - 1);
    short.stream.end('{"name":"x"}');
    await vi.advanceTimersByTimeAsync(1);
    expect((await value).value).toEqual({ name: 'x' });
  });
});

describe('a body that is too large', () => {
  it('is refused by the length that it declares, before any of it is there', async () => {
    const whole = new FairQuota(2 ** 30);
    await expect(read(createRequest(2 ** 20 + 1).request, whole)).rejects.toMatchObject({ code: 'request-too-large' });
    expect(whole.held).toBe(0);
  });

  it('is refused at the first byte above the limit where it declares no length', async () => {
    const whole = new FairQuota(2 ** 30);
    const { stream, request } = createRequest();
    const refused = expect(read(request, whole)).rejects.toMatchObject({ code: 'request-too-large' });
    stream.write(Buffer.alloc(2 ** 20, ' '));
    const last = Buffer.from('x');
    stream.write(last);
    await refused;
    expect([whole.held, last[0]]).toEqual([0, 0]);
  });
});

describe('the memory for bodies', () => {
  it('is taken from guests where the organiser’s server needs it, and what they sent is wiped', async () => {
    const whole = new FairQuota(1_000);
    const guest = createRequest();
    const chunk = Buffer.alloc(900, 'x');
    const refused = expect(read(guest.request, whole, guestsShare('acc_1'))).rejects.toMatchObject({
      code: 'overloaded',
    });
    guest.stream.write(chunk);
    await vi.waitUntil(() => whole.held === 900, 30_000);
    const server = createRequest();
    const value = read(server.request, whole);
    server.stream.end(`{"name":"${'x'.repeat(500)}"}`);
    await refused;
    expect(chunk.every((byte) => byte === 0)).toBe(true);
    expect((await value).value.name).toHaveLength(500);
    (await value).photos.wipe();
    expect(whole.held).toBe(0);
  });

  it('holds a body until its photos are wiped, and signals when its memory is taken', async () => {
    const whole = new FairQuota(1_000);
    const guest = createRequest();
    const reading = read(guest.request, whole, guestsShare('acc_1'));
    guest.stream.end(`{"name":"x","imageBase64":"${'A'.repeat(600)}"}`);
    const { photos } = await reading;
    expect(whole.held).toBeGreaterThan(600);
    expect(photos.taken.aborted).toBe(false);
    const server = createRequest();
    server.stream.end(`{"name":"${'x'.repeat(500)}"}`);
    await read(server.request, whole);
    expect(photos.taken.aborted).toBe(true);
    photos.wipe();
  });
});

describe('photos', () => {
  it('are decoded from the bytes, whatever the string is written like, and are in no string', async () => {
    const photo = Buffer.from('a face, and some more of it');
    const text = photo.toString('base64');
    const parse = vi.spyOn(JSON, 'parse');
    const written = `${text.slice(0, 8)}\\n${text.slice(8, 20)}\\u00${text.charCodeAt(20).toString(16)}${text.slice(21)}`;
    const { value, photos, sha256 } = await readText(`{ "name": "ü", "imageBase64" : "${written}" }`);
    expect(parse.mock.calls.some(([json]) => json.includes(text.slice(0, 8)))).toBe(false);
    parse.mockRestore();
    expect(value.name).toBe('ü');
    expect(Buffer.from(photos.at('/imageBase64'))).toEqual(photo);
    expect(sha256).toMatch(/^[0-9a-f]{64}$/);
    photos.wipe();
    expect(photos.at('/imageBase64').every((byte) => byte === 0)).toBe(true);
    expect(() => photos.at('/other')).toThrow();
  });

  it('survive being handed over', async () => {
    const { photos } = await readText(`{"name":"x","imageBase64":"${Buffer.from('a face').toString('base64')}"}`);
    const photo = photos.at('/imageBase64');
    const taken = structuredClone(photo, { transfer: [photo.buffer] });
    photos.wipe();
    expect(Buffer.from(taken).toString()).toBe('a face');
  });

  it.each([
    ['{"name":"x","imageBase64":"data:image/png;base64,AAAA"}', 'invalid-request', 'data URL'],
    ['{"name":"x","imageBase64":"A"}', 'invalid-request', 'RFC 4648'],
    ['{"name":"x","imageBase64":""}', 'invalid-request', 'empty'],
    ['{"name":1,"imageBase64":"A"}', 'invalid-request', '/name'],
    ['{"name":"x","imageBase64":"AAAA\nAAAA"}', 'invalid-json', ''],
    ['{"name":"x","imageBase64":"AAAA\\x"}', 'invalid-json', ''],
    ['{"name":"x","imageBase64":"AAAA","imageBase64":"AAAA"}', 'invalid-request', 'is repeated'],
    ['{"name":"x","imageBase64":"AAAA","other":1}', 'unknown-parameter', '/other'],
    ['{"name":"x","imageBase64":["AAAA"]}', 'invalid-request', '/imageBase64'],
    ['{"name":"x","imageBase64":"AAAA"', 'invalid-json', ''],
    ['{"name":"x","imageBase64":"AAAA"}x', 'invalid-json', ''],
    ['{"name":x,"imageBase64":"AAAA"}', 'invalid-json', ''],
  ])('%s: %s', async (text, code, about) => {
    const error: unknown = await readText(text).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code });
    expect(JSON.stringify(error)).toContain(about);
    expect(JSON.stringify(error)).not.toContain('AAAA');
  });

  it('a text that is no UTF-8 is no JSON', async () => {
    await expect(readText(Buffer.from('{"name":"\xff"}', 'latin1'))).rejects.toMatchObject({ code: 'invalid-json' });
  });
});

describe('a form', () => {
  type Part = readonly [name: string, content: string];
  const PERSON: Part = ['person', '{"name":"ü"}'];
  const PHOTO: Part = ['photo', 'a face\r\n--b\r\n, and some more of it'];

  const written = (parts: readonly Part[], boundary = 'bound', type = '') =>
    parts
      .map(
        ([name, content]) =>
          `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${type}\r\n\r\n${content}\r\n`,
      )
      .concat(`--${boundary}--\r\n`)
      .join('');

  /** Sent in pieces, which are returned. */
  function send(text: string, { pieces = 1, boundary = 'bound', whole = new FairQuota(2 ** 21) } = {}) {
    const { stream, request } = createRequest(undefined, `multipart/form-data; boundary=${boundary}`);
    const reading = read(request, whole);
    const bytes = Buffer.from(text);
    const length = Math.ceil(bytes.length / pieces);
    const sent = Array.from({ length: pieces }, (_, i) => Buffer.from(bytes.subarray(i * length, (i + 1) * length)));
    for (const piece of sent) stream.write(piece);
    stream.end();
    return { reading, sent };
  }
  const isWiped = (bytes: Uint8Array) => bytes.every((byte) => byte === 0);

  it.each([1, 2, 7, 60, 250])(
    'is the JSON and the bytes of its photos, in %i pieces, which are wiped',
    async (pieces) => {
      const { reading, sent } = send(written([PHOTO, PERSON], 'b0'), { pieces, boundary: 'b0' });
      const { value, photos } = await reading;
      expect([value.name, Buffer.from(photos.at('/imageBase64')).toString()]).toEqual(['ü', PHOTO[1]]);
      expect(sent.every(isWiped)).toBe(true);
      const photo = photos.at('/imageBase64');
      expect(photo.buffer.byteLength).toBe(photo.length);
      photos.wipe();
      expect(isWiped(photo)).toBe(true);
    },
  );

  it('is the same request with another boundary, and another one with another photo', async () => {
    const shaOf = async (...given: Parameters<typeof send>) => (await send(...given).reading).sha256;
    const first = await shaOf(written([PERSON, PHOTO]));
    expect(first).toMatch(/^[0-9a-f]{64}$/);
    expect(await shaOf(written([PERSON, PHOTO], 'other'), { boundary: 'other' })).toBe(first);
    expect(await shaOf(written([PERSON, ['photo', 'another']]))).not.toBe(first);
  });

  const text = written([PERSON, PHOTO]);
  it.each([
    ['without JSON', written([PHOTO]), 'invalid-request', 'person'],
    ['with two JSONs', written([PERSON, PERSON]), 'invalid-request', 'is repeated'],
    ['with two photos', written([PERSON, PHOTO, PHOTO]), 'invalid-request', 'is repeated'],
    ['with another part', written([PERSON, ['picture', 'x']]), 'unknown-parameter', '/picture'],
    ['with a part without a name', text.replace(' name="photo"', ''), 'unknown-parameter', 'has a member'],
    ['with a photo of nobody', written([PERSON, ['photo.1', 'x']]), 'invalid-request', '/people/1'],
    ['with a further photo', written([PERSON, ['additionalPhoto', 'x']]), 'unknown-parameter', '/additionalImages'],
    ['with an empty photo', written([PERSON, ['photo', '']]), 'invalid-request', 'empty'],
    ['with base64', written([['person', '{"name":"x","imageBase64":"QUFB"}']]), 'invalid-request', 'part of the form'],
    ['with both', written([['person', '{"name":"x","imageBase64":5}'], PHOTO]), 'invalid-request', 'part of the form'],
    ['whose JSON is none', written([['person', '{'], PHOTO]), 'invalid-json', ''],
    ['whose JSON is no object', written([['person', '[]'], PHOTO]), 'invalid-request', ''],
    ['that ends early', text.slice(0, -9), 'invalid-request', 'complete form'],
    ['that ends in a header', text.slice(0, 40), 'invalid-request', 'complete form'],
    ['that is nothing', '', 'invalid-request', 'complete form'],
    ['of another boundary', written([PERSON, PHOTO], 'other'), 'invalid-request', 'complete form'],
    ['of too many parts', written(Array<Part>(502).fill(['x', ''])), 'invalid-request', 'parts'],
    ['that is too large', written([PERSON, ['photo', 'x'.repeat(2 ** 20)]]), 'request-too-large', ''],
  ])('%s is refused', async (_what, body, code, about) => {
    const { reading, sent } = send(body, { pieces: 3 });
    const error: unknown = await reading.catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code });
    expect(JSON.stringify(error)).toContain(about);
    expect(JSON.stringify(error)).not.toMatch(/some more|QUFB/);
    expect(sent.every(isWiped)).toBe(true);
  });

  it.each(['multipart/form-data', 'multipart/mixed; boundary=b', `multipart/form-data; boundary=${'b'.repeat(300)}`])(
    'is none: %s',
    async (type) => {
      const { request } = createRequest(undefined, type);
      await expect(read(request)).rejects.toMatchObject({ code: 'unsupported-media-type' });
    },
  );

  it('counts twice, as what arrives and as its parts', async () => {
    const whole = new FairQuota(2 * Buffer.byteLength(text));
    const { photos } = await send(text, { whole }).reading;
    expect(whole.held).toBe(whole.limit);
    photos.wipe();
    await expect(send(`${text}x`, { whole }).reading).rejects.toMatchObject({ code: 'request-too-large' });
  });

  it('that the sender leaves is wiped, and its memory released', async () => {
    const whole = new FairQuota(2 ** 20);
    const { stream, request } = createRequest(undefined, 'multipart/form-data; boundary=bound');
    const refused = expect(read(request, whole)).rejects.toMatchObject({ code: 'invalid-json' });
    const piece = Buffer.from(text.slice(0, -20));
    stream.write(piece);
    await vi.waitUntil(() => whole.held > 0, 30_000);
    stream.destroy();
    await refused;
    expect([whole.held, isWiped(piece)]).toEqual([0, true]);
  });
});
