import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { hashOf, type LedgerQuestion, verifyLedger } from './ledger.ts';

/** The export in docs/consent.md. */
const docs = readFileSync(new URL('../../../../../docs/consent.md', import.meta.url), 'utf8');
const exported = /```ndjson\n([\s\S]*?)```/.exec(docs)?.[1] ?? '';
const lines = exported.split('\n').filter((line) => line !== '');

const question: LedgerQuestion = {
  accountId: 'acc_01jwnafy00e2rbg3vfk4s6q9tz',
  listId: 'lst_01jwnafy01e2rbg3vfk4s6q9tz',
  personId: 'T-8F3K2M9QXW4Z7B1C',
};

async function* bytesOf(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
const verify = (text: string, more: Partial<LedgerQuestion> = {}, size = 1_000) =>
  verifyLedger(bytesOf(text, size), { ...question, ...more });

describe('a ledger', () => {
  it.each([1, 7, 100_000])('that is whole is recomputed, in chunks of %d bytes', async (size) => {
    const report = await verify(exported, {}, size);
    expect(report).toMatchObject({ fault: null, entries: 3, erased: 1, head: { length: 3 } });
    expect(report.records.map(({ kind, seq }) => [kind, seq])).toEqual([
      ['given', 1],
      ['withdrawn', 3],
    ]);
    expect((await verify(exported, { personId: 'somebody' })).records).toEqual([]);
  });

  it.each([
    ['a changed record', (text: string) => text.replace('"wordingLanguage":"de"', '"wordingLanguage":"en"'), 'content'],
    ['a moved deadline', (text: string) => text.replace('2026-06-20T23', '2026-07-20T23'), 'content'],
    [
      'a record that is left out',
      () =>
        lines
          .filter((_, nth) => nth !== 3)
          .join('\n')
          .concat('\n'),
      'sequence',
    ],
    [
      'records in another order',
      () =>
        [0, 1, 3, 2, 4, 5, 6]
          .map((nth) => lines[nth])
          .join('\n')
          .concat('\n'),
      'sequence',
    ],
    [
      'another commitment',
      (text: string) => text.replace('"commitment":"d1944f', '"commitment":"d1944e'),
      'entry-hash',
    ],
    [
      'a head of less',
      () =>
        lines
          .with(5, (lines[5] ?? '').replace('"length":3', '"length":2'))
          .join('\n')
          .concat('\n'),
      'head',
    ],
    ['another digest', (text: string) => text.replace('"sha256":"97b', '"sha256":"97c'), 'digest'],
    ['a missing end', () => lines.slice(0, 6).join('\n').concat('\n'), 'cut'],
    ['half a line', (text: string) => text.slice(0, -40), 'cut'],
    ['another order of members', (text: string) => text.replace('{"accountId"', '{ "accountId"'), 'unreadable'],
    ['no JSON', () => 'nothing\n', 'unreadable'],
    ['content without its salt', (text: string) => text.replace(/"salt":"3261\w+"/, '"salt":null'), 'half-erased'],
    ['nothing', () => '', 'cut'],
  ])('with %s is told', async (_what, change, fault) => {
    expect((await verify(change(exported))).fault).toBe(fault);
  });

  it('of another account is refused', async () => {
    expect((await verify(exported, { accountId: 'acc_01jwnafy00e2rbg3vfk4s6q9ty' })).fault).toBe('other-account');
  });

  it('has to go on from the head that was seen before', async () => {
    const { entryHash } = JSON.parse(lines[3] ?? '{}') as { entryHash: string };
    expect((await verify(exported, { seen: { length: 2, entryHash } })).fault).toBeNull();
    expect((await verify(exported, { seen: { length: 2, entryHash: '0'.repeat(64) } })).fault).toBe('rewritten');
    expect((await verify(exported, { seen: { length: 4, entryHash } })).fault).toBe('rewritten');
  });

  it('without a chain is none, and no fault', async () => {
    const first = `${lines[0]}\n`;
    const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(first));
    const sha256 = Buffer.from(bytes).toString('hex');
    const end = `{"chains":0,"entries":0,"sha256":"${sha256}","type":"end","unchained":0}\n`;
    expect(await verify(first + end)).toMatchObject({ fault: null, entries: 0, head: null });
  });
});

it('the genesis of the example is the hash of its canonical form', async () => {
  expect(await hashOf(['svc-consent-ledger/1', question.accountId, question.listId])).toBe(
    'aecf0c3af9de8cd3ea05f16232cd9f2bf7bc84131e4363a1bb51d7a1ba4daa73',
  );
});
