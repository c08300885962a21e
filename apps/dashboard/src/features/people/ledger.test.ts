import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { type LedgerQuestion, verifyLedger } from './ledger.ts';

/** The export in docs/guide/consent.md. */
const docs = readFileSync(new URL('../../../../../docs/guide/consent.md', import.meta.url), 'utf8');
const exported = /```ndjson\n([\s\S]*?)```/.exec(docs)?.[1] ?? '';

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += 500) yield bytes.subarray(at, at + 500);
}

// The verification itself is tested with the service, which has the same.
const verify = (more: Partial<LedgerQuestion> = {}, text = exported) =>
  verifyLedger(bytesOf(text), {
    accountId: 'acc_01jwnafy00e2rbg3vfk4s6q9tz',
    listId: 'lst_01jwnafy01e2rbg3vfk4s6q9tz',
    personId: 'T-8F3K2M9QXW4Z7B1C',
    ...more,
  });

it('a ledger is recomputed by WebCrypto, with the records of the person', async () => {
  const report = await verify();
  expect(report).toMatchObject({ fault: null, entries: 3, erased: 1, head: { length: 3 } });
  expect(report.records.map(({ kind, seq }) => [kind, seq])).toEqual([
    ['given', 1],
    ['withdrawn', 3],
  ]);
  expect((await verify({ personId: 'somebody' })).records).toEqual([]);
});

it('a ledger that was changed, or is of another account or list, is told', async () => {
  const changed = exported.replace('"wordingLanguage":"de"', '"wordingLanguage":"en"');
  expect((await verify({}, changed)).fault).toBe('commitment-mismatch');
  expect((await verify({ accountId: 'acc_01jwnafy00e2rbg3vfk4s6q9ty' })).fault).toBe('other-account');
  expect((await verify({ listId: 'lst_01jwnafy01e2rbg3vfk4s6q9ty' })).fault).toBe('unexpected-line');
});

it('a ledger has to go on from the head that was seen before', async () => {
  const { entryHash } = JSON.parse(exported.split('\n')[3] ?? '{}') as { entryHash: string };
  const faultAfter = async (length: number, hash: string) =>
    (await verify({ seen: { length, entryHash: hash } })).fault;
  expect(await faultAfter(2, entryHash)).toBeNull();
  expect(await faultAfter(2, '0'.repeat(64))).toBe('earlier-head-mismatch');
  expect(await faultAfter(4, entryHash)).toBe('earlier-head-mismatch');
});
