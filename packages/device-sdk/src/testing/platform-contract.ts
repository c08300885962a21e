import { sameBytes } from '../platform/bytes.ts';
import type { Clock, Random, Timers } from '../platform/platform.ts';
import type { Transport } from '../platform/transport.ts';
import { type ContractCase, demand, demandRejection } from './contract.ts';

const wait = (timers: Timers, ms: number): Promise<void> => new Promise((resolve) => void timers.after(ms, resolve));

/** Contract of clocks and timers. */
export const clockContract: readonly ContractCase<{ readonly clock: Clock; readonly timers: Timers }>[] = [
  {
    name: 'the monotonic clock runs in milliseconds and never steps back',
    check: async ({ clock, timers }) => {
      const started = clock.monotonicMs();
      let last = started;
      for (let i = 0; i < 1_000; i += 1) {
        const now = clock.monotonicMs();
        demand(Number.isFinite(now) && now >= last, 'stepped back');
        last = now;
      }
      await wait(timers, 30);
      const passed = clock.monotonicMs() - started;
      demand(passed >= 20 && passed < 10_000, 'not milliseconds');
    },
  },
  {
    name: 'the wall clock is in milliseconds since 1970',
    check: async ({ clock }) => {
      const now = clock.wallMs();
      demand(now > Date.UTC(2024, 0) && now < Date.UTC(2200, 0), 'not milliseconds since 1970');
    },
  },
  {
    name: 'timers call once, later, in order, and not when cancelled',
    check: async ({ timers }) => {
      const calls: string[] = [];
      timers.after(20, () => calls.push('b'));
      timers.after(1, () => calls.push('a'));
      const cancel = timers.after(5, () => calls.push('cancelled'));
      cancel();
      cancel();
      demand(calls.length === 0, 'called at once');
      await wait(timers, 60);
      demand(calls.join() === 'a,b', 'each once, in order');
    },
  },
];

/** Contract of random generators. */
export const randomContract: readonly ContractCase<Random>[] = [
  {
    name: 'gives as many bytes as asked, never the same',
    check: async (random) => {
      for (const length of [0, 1, 16, 32, 70_000]) demand(random.bytes(length).length === length, 'another length');
      demand(!sameBytes(random.bytes(32), random.bytes(32)), 'the same twice');
      const large = random.bytes(70_000);
      demand(
        large.subarray(65_536).some((byte) => byte !== 0),
        'zeros beyond 64 KiB',
      );
    },
  },
  {
    name: 'is not lopsided',
    check: async (random) => {
      const ones = random.bytes(10_000).reduce((sum, byte) => sum + (byte & 1), 0);
      // Six standard deviations: a fair coin fails once in a thousand million runs.
      demand(Math.abs(ones - 5_000) < 300, 'the low bit, from which directions are drawn, is lopsided');
    },
  },
];

/** A server for the transport's contract, at any address. */
export interface TransportSubject {
  readonly transport: Transport;
  /**
   * Serves the paths that {@link transportContract} requires: /echo, /post, /status/418, /large, /redirect, /hang. /post
   * answers with the method, a space, and the body.
   */
  readonly baseUrl: string;
}

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);

const ascii = async (body: AsyncIterable<Uint8Array>): Promise<string> => {
  let text = '';
  for await (const chunk of body) text += String.fromCharCode(...chunk);
  return text;
};

async function read(body: AsyncIterable<Uint8Array>): Promise<number> {
  let length = 0;
  for await (const chunk of body) length += chunk.length;
  return length;
}

const never = (): AbortSignal => new AbortController().signal;

/** Contract of transports. */
export const transportContract: readonly ContractCase<TransportSubject>[] = [
  {
    name: 'sends the headers and gives status, media type and body',
    check: async ({ transport, baseUrl }) => {
      const answer = await transport({ url: `${baseUrl}/echo`, headers: { 'Svc-Nonce': 'abc' }, signal: never() });
      demand(answer.status === 200 && answer.mediaType === 'application/vnd.svc.sync', 'status and media type');
      demand((await read(answer.body)) === 'abc'.length, 'the body is the header’s value');
    },
  },
  {
    name: 'posts a body, and gets without one',
    check: async ({ transport, baseUrl }) => {
      const asked = { url: `${baseUrl}/post`, headers: { 'content-type': 'application/json' }, signal: never() };
      const body = new TextEncoder().encode('xx{"a":1}').subarray(2);
      demand((await ascii((await transport({ ...asked, body })).body)) === 'POST {"a":1}', 'the very bytes');
      demand((await ascii((await transport({ ...asked, body: bytes() })).body)) === 'POST ', 'an empty body');
      demand((await ascii((await transport(asked)).body)) === 'GET ', 'no body');
    },
  },
  {
    name: 'any status is an answer',
    check: async ({ transport, baseUrl }) => {
      const answer = await transport({ url: `${baseUrl}/status/418`, headers: {}, signal: never() });
      demand(answer.status === 418, 'the status');
      await read(answer.body);
    },
  },
  {
    name: 'gives a large body in pieces',
    check: async ({ transport, baseUrl }) => {
      const answer = await transport({ url: `${baseUrl}/large`, headers: {}, signal: never() });
      demand((await read(answer.body)) === 1_000_000, 'a million bytes');
    },
  },
  {
    name: 'does not follow redirects',
    check: async ({ transport, baseUrl }) => {
      await demandRejection(transport({ url: `${baseUrl}/redirect`, headers: {}, signal: never() }), 'followed');
      const post = { url: `${baseUrl}/redirect`, headers: {}, body: bytes(1), signal: never() };
      await demandRejection(transport(post), 'followed with a POST');
    },
  },
  {
    name: 'rejects when nobody answers, and when aborted',
    check: async ({ transport, baseUrl }) => {
      await demandRejection(transport({ url: 'http://127.0.0.1:1/', headers: {}, signal: never() }), 'an answer');
      const abort = new AbortController();
      const hanging = transport({ url: `${baseUrl}/hang`, headers: {}, signal: abort.signal });
      abort.abort();
      await demandRejection(hanging, 'went on');
    },
  },
];
