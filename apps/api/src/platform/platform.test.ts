import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { peopleAllowed } from '../features/usage/service.ts';
import { type FakeSmtp, startFakeSmtp } from '../testing/fake-smtp.ts';
import { createLogSink } from '../testing/test-api.ts';
import { Cleanup } from './cleanup.ts';
import { coalesce } from './coalesce.ts';
import { ServiceError } from './errors.ts';
import { FairQuota, FairTurns, guestsShare, type Holding, serverShare } from './fair-share.ts';
import { createLogger, describeError } from './logger.ts';
import { createMailer, type Mailer } from './mail.ts';
import { decodeCursor, toPage } from './paging.ts';

describe('paging', () => {
  const page = (rows: string[], limit: number) =>
    toPage(
      rows,
      limit,
      (row) => row,
      (row) => row.toUpperCase(),
    );
  it('gives a cursor only where there is more', () => {
    expect(page([], 2)).toEqual({ items: [], nextCursor: null });
    expect(page(['a', 'b'], 2)).toEqual({ items: ['A', 'B'], nextCursor: null });
    const { items, nextCursor } = page(['a', 'b', 'c'], 2);
    expect(items).toEqual(['A', 'B']);
    expect(decodeCursor(nextCursor ?? '', (key) => key === 'b')).toBe('b');
  });

  it('refuses a cursor that it did not give', () => {
    expect(decodeCursor(undefined, () => false)).toBeUndefined();
    for (const cursor of ['', 'Yg==', 'Yg=', 'Y g', 'Yh']) {
      expect(() => decodeCursor(cursor, (key) => key === 'b')).toThrow(ServiceError);
    }
  });
});

describe('plans', () => {
  it('knows the pilot and nothing that objects have by themselves', () => {
    expect(['pilot', null, 'gold', 'toString', '__proto__'].map((plan) => peopleAllowed(plan, null))).toEqual([
      500,
      null,
      null,
      null,
      null,
    ]);
  });
});

describe('cleanup', () => {
  it('runs every step once, last first, and tells the first error', async () => {
    const cleanup = new Cleanup();
    const ran: number[] = [];
    cleanup.add(() => void ran.push(1));
    cleanup.add(() => {
      ran.push(2);
      throw new Error('two');
    });
    cleanup.add(async () => void ran.push(3));
    await expect(cleanup.run()).rejects.toThrow('two');
    await cleanup.run();
    expect(ran).toEqual([3, 2, 1]);
  });
});

describe('logger', () => {
  it('drops fields that could contain a secret', () => {
    const sink = createLogSink();
    const secrets = { apiKey: 'canary', token: 'canary', personId: 'canary', imageBase64: 'canary' };
    createLogger('info', sink).info(
      { ...secrets, request: { ...secrets, body: 'canary', headers: { a: 'canary' } } },
      'x',
    );
    expect(sink.text).toContain('"msg":"x"');
    expect(sink.text).not.toContain('canary');
  });
});

describe('log safe', () => {
  it.each([
    ['of one line', 'canary'],
    ['of several lines that look like frames', 'x\n    at canary (/canary.ts:1:1)\n    at canary'],
    ['that is empty', ''],
  ])('no message is in what is told of an error, also one %s', (_name, message) => {
    const cause = new TypeError(message);
    const told = describeError(new RangeError(message, { cause }));
    expect(told).toMatchObject({ type: 'RangeError', cause: { type: 'TypeError' } });
    expect(JSON.stringify(told)).not.toContain('canary');
    expect(told.frames).not.toHaveLength(0);
  });

  it('what is no error is told by its type alone', () => {
    expect(describeError('canary')).toEqual({ type: 'string' });
  });
});

describe('coalesce', () => {
  describe('look-ups of one turn', () => {
    it('become one query, each with its own answer', async () => {
      const load = vi.fn((keys: readonly number[]) => Promise.resolve(keys.map((key) => key * 10)));
      const look = coalesce(load);
      expect(await Promise.all([look(1), look(2), look(1)])).toEqual([10, 20, 10]);
      expect(load.mock.calls).toEqual([[[1, 2, 1]]]);
    });

    it('are never answered with what was read before', async () => {
      let value = 0;
      const look = coalesce((keys: readonly string[]) => {
        value += 1;
        const read = value;
        return nextTurn().then(() => keys.map(() => read));
      });
      const first = look('a');
      await nextTurn();
      const second = look('a');
      expect(await Promise.all([first, second])).toEqual([1, 2]);
      expect(await look('a')).toBe(3);
    });

    it('wait for the query that is on its way, and then go together', async () => {
      // No time passes: however late the next turn comes, the query is on its way for less than others wait for it.
      vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
      onTestFinished(() => void vi.useRealTimers());
      const answers: (() => void)[] = [];
      const load = vi.fn(
        (keys: readonly number[]) => new Promise<readonly number[]>((resolve) => answers.push(() => resolve(keys))),
      );
      const look = coalesce(load);
      const looked = [look(1)];
      for (const key of [2, 3]) {
        await nextTurn();
        looked.push(look(key));
      }
      await nextTurn();
      expect(load.mock.calls).toEqual([[[1]]]);
      answers[0]?.();
      while (answers.length < 2) await nextTurn();
      answers[1]?.();
      expect(await Promise.all(looked)).toEqual([1, 2, 3]);
      expect(load.mock.calls).toEqual([[[1]], [[2, 3]]]);
    });

    it('do not wait long for a query that hangs', async () => {
      const look = coalesce((keys: readonly string[]) =>
        keys.includes('hangs') ? new Promise<readonly string[]>(() => undefined) : Promise.resolve(keys),
      );
      void look('hangs');
      await nextTurn();
      expect(await look('next')).toBe('next');
    });
  });
});

describe('mail', () => {
  let smtp: FakeSmtp;
  let mailer: Mailer;

  beforeAll(async () => {
    smtp = await startFakeSmtp();
    const made = createMailer({ smtpUrl: smtp.url, from: 'Concerts <no-reply@example.org>' });
    if (made === null) throw new Error('no mailer');
    mailer = made;
  });
  afterAll(async () => {
    mailer.close();
    await smtp.close();
  });

  it('is none without a server', () => {
    expect(createMailer(null)).toBeNull();
  });

  it('sends texts of any script, with headers of its own', async () => {
    const text = 'Grüße aus Köln,\r\n.\r\n.. und ein langer Satz '.concat('x'.repeat(2_000));
    await mailer.send({ to: 'one@example.org', subject: 'Einladung – 招待', text, headers: { 'X-Svc': 'a' } });
    const mail = await smtp.mailTo('one@example.org');
    expect(mail.headers).toMatchObject({
      subject: 'Einladung – 招待',
      from: 'Concerts <no-reply@example.org>',
      'x-svc': 'a',
      'auto-submitted': 'auto-generated',
    });
    expect(mail.text.trim()).toBe(text);
  });

  it('has HTML beside the text: escaped, with links, and nothing from elsewhere', async () => {
    const text = 'Hello <img src=x onerror="a">,\n\nlook: https://example.org/a?b=1&c#d.\nBye & thanks\n';
    await mailer.send({ to: 'two@example.org', subject: '</title><script>', text });
    const { text: plain, html } = await smtp.mailTo('two@example.org');
    expect(plain.trim().replaceAll('\r\n', '\n')).toBe(text.trim());
    expect(html?.match(/<[a-z!]+/g)).toEqual('<!doctype <html <head <meta <title <body <div <p <p <a <br'.split(' '));
    expect(html).toContain('<a href="https://example.org/a?b=1&#38;c#d">https://example.org/a?b=1&#38;c#d</a>.<br>');
    expect(html).not.toMatch(/ (src|on\w+)="|url\(/);
  });

  it('never lets an address or a subject add a header or a receiver', async () => {
    const evil = { to: 'three@example.org', subject: 'a\r\nBcc: four@example.org', text: 't' };
    await mailer.send(evil);
    const mail = await smtp.mailTo('three@example.org');
    expect(mail.to).toEqual(['three@example.org']);
    expect(mail.headers.bcc).toBeUndefined();
  });

  it('tells an address that is refused from a server that is not there, and quotes neither', async () => {
    smtp.refuse('gone@example.org', '550 no such user gone@example.org');
    smtp.refuse('later@example.org', '451 try later');
    const refused = { subject: 's', text: 't' };
    await expect(mailer.send({ ...refused, to: 'gone@example.org' })).rejects.toMatchObject({
      message: 'the mail server answered 550',
      reply: 550,
    });
    await expect(mailer.send({ ...refused, to: 'later@example.org' })).rejects.toMatchObject({ reply: 451 });
    const nowhere = createMailer({ smtpUrl: 'smtp://127.0.0.1:1', from: 'a@example.org' });
    await expect(nowhere?.send({ ...refused, to: 'a@example.org' })).rejects.toMatchObject({ reply: null });
    nowhere?.close();
  });
});

describe('fair share', () => {
  const server = serverShare('acc_1');
  const guests = guestsShare('acc_1');
  const other = serverShare('acc_2');

  describe('a shared whole', () => {
    const openAll = (whole: FairQuota, share = server, count = 1) => {
      const taken: number[] = [];
      const holdings: Holding[] = [];
      for (let i = 0; i < count; i += 1) {
        const holding = whole.open(share, () => void taken.push(i));
        holdings.push(holding);
      }
      return { holdings, taken, take: (amount: number) => holdings.map((holding) => holding.take(amount)) };
    };

    it('can be used up by one share', () => {
      const whole = new FairQuota(18);
      expect(openAll(whole, guests, 19).take(1)).toEqual([...Array<boolean>(18).fill(true), false]);
      expect(whole.held).toBe(18);
    });

    it('is taken from those who hold the most for their weight, the newest first', () => {
      const whole = new FairQuota(8);
      const many = openAll(whole, guests, 8);
      many.take(1);
      const late = openAll(whole, server, 8);
      expect(late.take(1)).toEqual([true, true, true, true, true, true, false, false]);
      expect(many.taken).toEqual([7, 6, 5, 4, 3, 2]);
      expect(whole.held).toBe(8);
      // The guests keep two places: six at weight three equal two at weight one.
      const third = openAll(whole, other, 4);
      expect(third.take(1)).toEqual([true, true, true, false]);
    });

    it('is never taken from a share that holds no more, nor from what has to be kept', () => {
      const whole = new FairQuota(2);
      const [first, second] = openAll(whole, guests, 2).holdings;
      first?.take(1);
      second?.take(1);
      first?.keep();
      second?.keep();
      expect(whole.hasRoom(server, 1)).toBe(false);
      expect(openAll(whole, server).take(1)).toEqual([false]);
      second?.close();
      expect(openAll(whole, server).take(1)).toEqual([true]);
    });

    it('gives back once, and to those who have lost theirs nothing more', () => {
      const whole = new FairQuota(10);
      const lost = openAll(whole, guests, 2);
      lost.take(5);
      expect(whole.hasRoom(server, 4)).toBe(true);
      const [winner] = openAll(whole, server).holdings;
      expect(winner?.take(4)).toBe(true);
      expect(lost.taken).toEqual([1]);
      expect(lost.holdings[1]?.take(1)).toBe(false);
      lost.holdings[1]?.close();
      expect(whole.held).toBe(9);
      winner?.close();
      winner?.close();
      expect(whole.held).toBe(5);
    });
  });

  describe('fair turns', () => {
    const here = () => new AbortController().signal;
    const LONG = 60_000;

    /** Lets everything settle that is not waiting for a turn. */
    const settled = () => new Promise((resolve) => setImmediate(resolve));

    it('lets so many work at once', async () => {
      const turns = new FairTurns(2);
      const ends = [await turns.take(server, here(), LONG), await turns.take(server, here(), LONG)];
      let begun = false;
      const third = turns.take(server, here(), LONG).then((end) => {
        begun = true;
        return end;
      });
      await settled();
      expect(begun).toBe(false);
      ends[0]?.();
      ends[0]?.();
      (await third)?.();
      ends[1]?.();
      expect(await turns.take(other, here(), LONG)).not.toBeNull();
    });

    it('serves shares by their weight, and each in the order in which its own came', async () => {
      const turns = new FairTurns(1);
      const running = await turns.take(guests, here(), LONG);
      const order: string[] = [];
      const queue = (name: string, share = guests) =>
        turns.take(share, here(), LONG).then(async (end) => {
          order.push(name);
          await settled();
          end?.();
        });
      const all = [
        ...['g1', 'g2', 'g3', 'g4'].map((name) => queue(name)),
        ...['s1', 's2', 's3', 's4', 's5', 's6'].map((name) => queue(name, server)),
      ];
      running?.();
      await Promise.all(all);
      expect(order.slice(0, 3)).toEqual(['s1', 's2', 's3']);
      expect(order.filter((name) => name.startsWith('s'))).toEqual(['s1', 's2', 's3', 's4', 's5', 's6']);
      expect(order.filter((name) => name.startsWith('g'))).toEqual(['g1', 'g2', 'g3', 'g4']);
      expect(order.slice(0, 8).filter((name) => name.startsWith('g'))).toHaveLength(2);
    });

    it('saves nothing up: who comes late is not served for the time before', async () => {
      const turns = new FairTurns(1);
      for (let i = 0; i < 50; i += 1) (await turns.take(other, here(), LONG))?.();
      const running = await turns.take(other, here(), LONG);
      const order: string[] = [];
      const queue = (name: string, share = other) =>
        turns.take(share, here(), LONG).then((end) => {
          order.push(name);
          end?.();
        });
      const all = [queue('o1'), queue('late1', server), queue('late2', server), queue('o2')];
      running?.();
      await Promise.all(all);
      expect(order.indexOf('o1')).toBeLessThan(order.indexOf('late2'));
    });

    it('forgets who has gone, or waited too long', async () => {
      vi.useFakeTimers();
      onTestFinished(() => void vi.useRealTimers());
      const turns = new FairTurns(1);
      const running = await turns.take(server, here(), LONG);
      const leaving = new AbortController();
      const left = turns.take(server, leaving.signal, LONG);
      const late = turns.take(server, here(), 10);
      const last = turns.take(server, here(), LONG);
      leaving.abort();
      expect(await left).toBeNull();
      await vi.advanceTimersByTimeAsync(11);
      expect(await late).toBeNull();
      expect(await turns.take(server, AbortSignal.abort(), LONG)).toBeNull();
      running?.();
      expect(await last).not.toBeNull();
    });
  });
});
