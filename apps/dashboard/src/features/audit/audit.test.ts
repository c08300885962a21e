import { type AuditEntryResource, type ConsentRecordResource, operations } from '@svc/protocol';
import { describe, expect, it } from 'vitest';
import { say, speak } from '../../text/index.ts';
import { actOf, actorOf, boundsOf, shortId } from './audit-words.ts';
import { CutExportError, csvColumns, csvOf, ledgerOf } from './consents-page.tsx';

describe('the words of the audit log', () => {
  it.each(['en', 'de'])('are there for every audited operation, in %s', async (language) => {
    await speak(language);
    const acts = [...new Set(operations.flatMap(({ audit = [] }) => audit))];
    const words = acts.map((act) => actOf(act));
    expect(words.filter((word) => (acts as string[]).includes(word))).toEqual([]);
    expect(new Set(words).size).toBe(words.length);
  });

  it('are the name of an act that a later service added', async () => {
    await speak('en');
    expect(actOf('moon.land')).toBe('moon.land');
  });

  it('name who acted', async () => {
    await speak('en');
    const names = new Map([['key_1', 'Ticket shop']]);
    const by = (actor: Partial<AuditEntryResource['actor']>) =>
      actorOf({ actor: { keyId: null, userId: null, name: null, ...actor } } as AuditEntryResource, names);
    expect(by({ kind: 'user', userId: 'usr_1', name: 'Ada' })).toBe('Ada');
    expect(by({ kind: 'user', userId: 'usr_1' })).toBe(say('audit.removed-user'));
    expect(by({ kind: 'api-key', keyId: 'key_1' })).toContain('Ticket shop');
    expect(by({ kind: 'api-key', keyId: 'key_01jwnafy00e2rbg3vfk4s6q9tz' })).toContain('s6q9tz');
    expect(by({ kind: 'operator' })).toBe(say('audit.operator'));
  });

  it('shorten identifiers alone', () => {
    expect(shortId('dev_01jwnafy00e2rbg3vfk4s6q9tz')).toBe('dev_…s6q9tz');
    expect(shortId('none')).toBe('none');
  });
});

describe('the period of the audit log', () => {
  const now = new Date(2026, 5, 20, 18, 31).getTime();
  const none = { from: '', to: '' };

  it('counts back from the hour, so that the question stays the same for a while', () => {
    expect(boundsOf('week', none, now)).toEqual({ since: new Date(2026, 5, 13, 18).toISOString() });
    expect(boundsOf('week', none, now + 60_000)).toEqual(boundsOf('week', none, now));
    expect(boundsOf('all', { from: '2026-06-01', to: '' }, now)).toEqual({});
  });

  it('is from the first moment of a day to the last of another, where the person is', () => {
    expect(boundsOf('own', { from: '2026-06-01', to: '2026-06-30' }, now)).toEqual({
      since: new Date(2026, 5, 1).toISOString(),
      until: new Date(2026, 6, 1).toISOString(),
    });
    expect(boundsOf('own', { from: '2026', to: '' }, now)).toEqual({});
  });
});

describe('the export of consents', () => {
  const record = (personId: string) => ({ personId, kind: 'given', seq: 1, under16: false }) as ConsentRecordResource;

  it('has a line for each record of every page', async () => {
    const asked: (string | undefined)[] = [];
    const counted: number[] = [];
    const blob = await csvOf(
      async (cursor) => {
        asked.push(cursor);
        return { items: [record(`p${asked.length}`)], nextCursor: asked.length < 3 ? `c${asked.length}` : null };
      },
      (count) => counted.push(count),
    );
    const bytes = Buffer.from(await blob.arrayBuffer());
    expect([...bytes.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
    const [head, ...lines] = bytes.subarray(3).toString().split('\r\n');
    expect(head).toBe(`"${csvColumns.join('","')}"`);
    expect(lines.map((line) => line.split(',')[2])).toEqual(['"p1"', '"p2"', '"p3"', undefined]);
    expect([asked, counted]).toEqual([
      [undefined, 'c1', 'c2'],
      [1, 2, 3],
    ]);
  });

  const streamOf = (...texts: string[]) => new Blob(texts).stream() as ReadableStream<Uint8Array>;

  it('is the ledger’s own bytes, and nothing where they were cut', async () => {
    const whole = '{"type":"ledger"}\n{"type":"entry","salt":null}\n{"chains":1,"type":"end"}\n';
    expect(await (await ledgerOf(streamOf(whole), () => undefined)).text()).toBe(whole);
    for (const cut of [whole.slice(0, -1), whole.slice(0, 40), '', '{"type":"ledger"}\n']) {
      await expect(ledgerOf(streamOf(cut), () => undefined)).rejects.toThrow(CutExportError);
    }
  });
});
