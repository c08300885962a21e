import { readFileSync } from 'node:fs';
import { Aes256Gcm, CipherSuite, DhkemP256HkdfSha256, HkdfSha256 } from '@hpke/core';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type ContractError,
  fromBase64Url,
  PageChannel,
  readMessage,
  ShellChannel,
  toBase64Url,
  type VerificationResult,
} from './index.ts';

/** A row of `messages.json`, as README.md of the contract describes it. */
interface MessageVector {
  readonly name: string;
  readonly from: 'shell' | 'page';
  readonly message?: object;
  readonly parts?: readonly (readonly [text: string, times: number])[];
  readonly highestId?: number;
  readonly reads: string;
  readonly code?: string;
}

/** What becomes of a request. */
type Settled = { readonly answer: unknown } | { readonly failure: string };

/** A step of a dialogue of `sessions.json`: one thing that happens to a side, and all that it does then. */
interface Step {
  readonly receive?: object | string;
  readonly ask?: { readonly name: string; readonly body: unknown };
  readonly as?: string;
  readonly handled?: { readonly id: number } & Settled;
  readonly sends?: readonly object[];
  readonly settles?: Readonly<Record<string, Settled>>;
}

interface SessionVector {
  readonly name: string;
  readonly side: 'shell' | 'page';
  readonly handlers: Readonly<Record<string, Settled | 'later'>>;
  readonly steps: readonly Step[];
}

/** `npm run test:long` makes a hundred thousand. */
const CHANGES = Number(process.env.SVC_TEST_CONTRACT_CHANGES ?? 5_000);

const read = (path: string) => JSON.parse(readFileSync(new URL(`../contract/${path}`, import.meta.url), 'utf8'));
const messages: { session: string; vectors: MessageVector[] } = read('vectors/messages.json');
const keys = read('vectors/keys.json');
const sessions: { session: string; dialogues: SessionVector[] } = read('vectors/sessions.json');
const schema = read('v1.schema.json');

/** An independent reader of the schema, of one side's messages. */
const ajv = new Ajv2020({ strict: false, schemas: [schema] });
const bySchema = {
  shell: ajv.compile({ allOf: [{ $ref: schema.$id }, { $ref: `${schema.$id}#/$defs/FromShell` }] }),
  page: ajv.compile({ allOf: [{ $ref: schema.$id }, { $ref: `${schema.$id}#/$defs/FromPage` }] }),
};

const textOf = ({ message, parts }: MessageVector): string =>
  parts?.map(([part, times]) => part.repeat(times)).join('') ?? JSON.stringify(message);

describe('messages.json', () => {
  it('has every message, and every reason of a result', () => {
    const taken = messages.vectors.filter(({ reads }) => ['request', 'answer', 'event'].includes(reads));
    const has = (what: string) => taken.some(({ name }) => name.startsWith(what));
    for (const group of ['ShellRequest', 'ShellAnswer', 'PageRequest', 'PageAnswer', 'PageEvent'])
      for (const { properties } of schema.$defs[group].oneOf)
        expect(has(`${group} ${properties.name.const}: `), properties.name.const).toBe(true);
    const told = taken.map(
      ({ message }) => (message as { body?: { result?: Partial<VerificationResult> } })?.body?.result,
    );
    for (const { properties } of schema.$defs.VerificationResult.oneOf)
      for (const reason of properties.reason.enum ?? [properties.reason.const])
        expect(
          told.some((result) => result?.outcome === properties.outcome.const && result?.reason === reason),
          reason,
        ).toBe(true);
  });

  it('is read as it says', () => {
    for (const vector of messages.vectors) {
      const state = { from: vector.from, session: messages.session, highestId: vector.highestId ?? 0 };
      const received = readMessage(textOf(vector), state);
      const code = received.kind === 'refused' ? received.code : undefined;
      expect([received.kind, code], vector.name).toEqual([vector.reads, vector.code]);
    }
  });

  it('holds what the schema says, read by another reader', () => {
    const isTaken = new Set(['request', 'answer', 'failure', 'event']);
    for (const vector of messages.vectors) {
      // What the schema cannot tell: the session, the order of ids, and limits of the text.
      if (vector.message === undefined || vector.highestId !== undefined) continue;
      const { session, name, body } = vector.message as { session: unknown; name: unknown; body: { session: unknown } };
      const isOther = name === 'hello' ? body?.session !== session : session !== messages.session;
      const isValid = bySchema[vector.from](JSON.parse(JSON.stringify(vector.message)));
      expect(isTaken.has(vector.reads), vector.name).toBe(isValid && !isOther);
    }
  });
});

describe('the check of messages', () => {
  const valid = messages.vectors.filter(
    ({ message, reads }) => message !== undefined && !['refused', 'dropped'].includes(reads),
  );
  /** Every place of a value. */
  function places(value: unknown, path: readonly string[] = []): (readonly string[])[] {
    if (typeof value !== 'object' || value === null) return [path];
    return [path, ...Object.entries(value).flatMap(([key, member]) => places(member, [...path, key]))];
  }
  function changed(value: unknown, [key, ...rest]: readonly string[], change: unknown): unknown {
    if (key === undefined) return change;
    const copy: Record<string, unknown> = Array.isArray(value) ? ([...value] as never) : { ...(value as object) };
    if (rest.length === 0 && change === undefined) delete copy[key];
    else copy[key] = changed(copy[key], rest, change);
    return copy;
  }
  const others = messages.vectors.flatMap(({ message }) =>
    message === undefined
      ? []
      : places(message).map((path) => path.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], message)),
  );

  it('gives what the schema says for messages that were changed at one place', () => {
    const change = fc.oneof(
      fc.constantFrom(...others),
      fc.constantFrom(undefined, null, true, 0, -1, 1.5, 2 ** 53, 1e300, '', 'A', '\ud83d\ude42'.repeat(300), [], {}, [
        null,
      ]),
      fc.string(),
      fc.double(),
    );
    fc.assert(
      fc.property(fc.constantFrom(...valid), fc.nat(), change, ({ from, message }, place, value) => {
        const all = places(message);
        const candidate: { name?: unknown; session?: unknown; body?: { session?: unknown } } | null = JSON.parse(
          JSON.stringify(changed(message, all[place % all.length] ?? [], value) ?? null),
        );
        const session = (candidate?.name === 'hello' ? candidate.body?.session : candidate?.session) as string;
        const { kind } = readMessage(JSON.stringify(candidate), { from, session, highestId: 0 });
        const isTaken = ['request', 'answer', 'failure', 'event'].includes(kind);
        return (
          isTaken === (bySchema[from](candidate) && (candidate?.name !== 'hello' || candidate.session === session))
        );
      }),
      { numRuns: CHANGES },
    );
  });
});

describe('keys.json', () => {
  const suite = new CipherSuite({ kem: new DhkemP256HkdfSha256(), kdf: new HkdfSha256(), aead: new Aes256Gcm() });
  const buffer = (text: string): ArrayBuffer => Uint8Array.from(fromBase64Url(text)).buffer;
  const publicJwk = () => {
    const point = fromBase64Url(keys.device.publicKey);
    return { kty: 'EC', crv: 'P-256', x: toBase64Url(point.subarray(1, 33)), y: toBase64Url(point.subarray(33)) };
  };
  const opened = async ({ enc, ciphertext, info }: { enc: string; ciphertext: string; info: string }) => {
    try {
      const recipientKey = await suite.kem.importKey('jwk', { ...publicJwk(), d: keys.device.privateKey }, false);
      const context = await suite.createRecipientContext({ recipientKey, enc: buffer(enc), info: buffer(info) });
      return toBase64Url(new Uint8Array(await context.open(buffer(ciphertext))));
    } catch {
      return null;
    }
  };
  const hkdf = async (ikm: string, { salt, info, length }: { salt: string; info: string; length: number }) => {
    const key = await crypto.subtle.importKey('raw', buffer(ikm), 'HKDF', false, ['deriveBits']);
    const parameters = { name: 'HKDF', hash: 'SHA-256', salt: buffer(salt), info: buffer(info) };
    return toBase64Url(new Uint8Array(await crypto.subtle.deriveBits(parameters, key, length * 8)));
  };
  const hmac = async (secret: string, message: string) => {
    const key = await crypto.subtle.importKey('raw', buffer(secret), { name: 'HMAC', hash: 'SHA-256' }, false, [
      'sign',
    ]);
    return toBase64Url(new Uint8Array(await crypto.subtle.sign('HMAC', key, buffer(message))));
  };

  it('derives and signs by Web Crypto too', async () => {
    for (const row of keys.hkdf) expect(await hkdf(row.ikm, row), row.name).toBe(row.bytes);
    for (const row of keys.hmac) expect(await hmac(row.key, row.message), row.name).toBe(row.mac);
  });

  it('opens by the SDK’s HPKE, and does not', async () => {
    for (const row of keys.opens) expect(await opened(row), row.name).toBe(row.plaintext);
  });

  it('opens list keys, of 32 bytes each, and derives and signs with them', async () => {
    for (const { name, request, opens, derive, signCheckIn } of keys.openListKeys) {
      const all = [
        ...request.epochs.map(({ sealed }: { sealed: never }) => sealed),
        ...(request.checkInSecret ? [request.checkInSecret] : []),
      ];
      const plain = await Promise.all(all.map(opened));
      const isWhole = plain.every((text) => text !== null && fromBase64Url(text).length === 32);
      expect(isWhole, name).toBe(opens !== null);
      if (opens === null) continue;
      expect(opens).toEqual({
        epochs: request.epochs.map(({ epoch }: { epoch: number }) => epoch),
        hasCheckInSecret: request.checkInSecret !== null,
      });
      for (const row of derive)
        expect(await hkdf(plain[opens.epochs.indexOf(row.epoch)] ?? '', row), name).toBe(row.bytes);
      for (const { message, signature } of signCheckIn) {
        expect(opens.hasCheckInSecret ? await hmac(plain.at(-1) ?? '', message) : null, name).toBe(signature);
      }
    }
  });
});

describe('sessions.json', () => {
  const failed = (code: string) => Object.assign(new Error('why'), { code });
  const settled = (promise: Promise<unknown>): Promise<Settled> =>
    promise.then(
      (answer) => ({ answer }),
      ({ code }: ContractError) => ({ failure: code }),
    );
  /** A failure's message may be any. */
  const plain = (message: { kind: string; body: object }) =>
    message.kind === 'failure' ? { ...message, body: { ...message.body, message: 'why' } } : message;

  it.each(sessions.dialogues)('$side: $name', async ({ side, handlers, steps }) => {
    let sent: unknown[] = [];
    const ended: Record<string, Settled> = {};
    const later: ((settled: Settled) => void)[] = [];
    const give = (how: Settled): unknown => {
      if ('failure' in how) throw failed(how.failure);
      return how.answer;
    };
    const served = new Proxy(
      {},
      {
        get: (_, name: string) => () => {
          const how = handlers[name];
          if (how === 'later') return new Promise<Settled>((resolve) => later.push(resolve)).then(give);
          if (how === undefined) throw new Error(`${name} has no handler here`);
          return give(how);
        },
      },
    );
    const send = (text: string) => void sent.push(plain(JSON.parse(text)));
    const ignore = () => undefined;
    const hello = { minor: 0, sdkVersion: '1.0.0', session: sessions.session };
    const channel: Pick<PageChannel, 'receive'> & { request(name: never, body: never): Promise<unknown> } =
      side === 'page'
        ? new PageChannel(hello, send, served as never)
        : new ShellChannel(send, served as never, { hello: ignore, status: ignore, prompt: ignore, fault: ignore });
    const perform = ({ receive, ask, as = '', handled }: Step) => {
      if (receive !== undefined) channel.receive(typeof receive === 'string' ? receive : JSON.stringify(receive));
      if (ask !== undefined)
        void settled(channel.request(ask.name as never, ask.body as never)).then((end) =>
          Object.assign(ended, { [as]: end }),
        );
      if (handled !== undefined) later[handled.id - 1]?.(handled);
    };
    for (const [index, step] of steps.entries()) {
      perform(step);
      await new Promise(setImmediate);
      expect(sent, `step ${index}`).toEqual(step.sends ?? []);
      expect(ended, `step ${index}`).toEqual(step.settles ?? {});
      sent = [];
      for (const name of Object.keys(ended)) delete ended[name];
    }
  });
});
