import { createHash } from 'node:crypto';
import { type ConsentEntry, isPersonId } from '@svc/protocol';
import { LEDGER_FORMAT } from '@svc/protocol/ledger';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, commitmentOf, createLedgerWriter, entryHashOf, genesisHash, verifyLedger } from './chain.ts';

const ACCOUNT = 'acc_01jwnafy00e2rbg3vfk4s6q9tz';
const LISTS = ['lst_01jwnafy00e2rbg3vfk4s6q9t0', 'lst_01jwnafy00e2rbg3vfk4s6q9t1'] as const;

const time = fc
  .date({ min: new Date(0), max: new Date('9999-12-31T00:00:00Z'), noInvalidDate: true })
  .map((at) => at.toISOString());
const hash = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes).toString('hex'));
const personId = fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }).filter(isPersonId);

function entryOf(listId: string): fc.Arbitrary<ConsentEntry> {
  const wording = fc.oneof(
    fc.constant({ shownBy: 'organiser' as const, wordingSha256: null, wordingLanguage: null }),
    fc.record({
      shownBy: fc.constant('service' as const),
      ...{ wordingSha256: hash, wordingLanguage: fc.constantFrom('de', 'en') },
    }),
  );
  const said = { consentId: fc.uuid(), personId, recordedAt: time, faceDeleteAfter: time, givenAt: time };
  const agreed = {
    kind: 'given',
    consentVersion: 'eu-v2',
    explicitBiometricConsent: true,
    writtenRelease: true,
  } as const;
  return fc
    .tuple(fc.record(said), wording, fc.boolean())
    .map(([common, shown, under16]) => ({ ...common, listId, ...agreed, under16, guardianConsent: under16, ...shown }));
}

interface Entry {
  readonly consent: ConsentEntry;
  readonly salt: string;
  readonly erased: boolean;
}

const ledger = fc.tuple(
  ...LISTS.map((listId) =>
    fc.array(fc.record({ consent: entryOf(listId), salt: hash, erased: fc.boolean() }), { minLength: 1, maxLength: 6 }),
  ),
);

/** The export lines of the service, with line feeds. */
function exportOf(chains: readonly (readonly Entry[])[]): Buffer[] {
  const writer = createLedgerWriter();
  const lines = [
    writer.write({ type: 'ledger', format: LEDGER_FORMAT, accountId: ACCOUNT, exportedAt: '2026-05-01T00:00:00.000Z' }),
  ];
  for (const [index, entries] of chains.entries()) {
    const listId = LISTS[index] ?? '';
    lines.push(writer.write({ type: 'chain', listId }));
    let previous = genesisHash(ACCOUNT, listId);
    for (const [place, { consent, salt, erased }] of entries.entries()) {
      const commitment = commitmentOf(Buffer.from(salt, 'hex'), consent);
      previous = entryHashOf(previous, place + 1, commitment);
      const hashes = { commitment: commitment.toString('hex'), entryHash: previous.toString('hex') };
      const content = erased ? { salt: null, consent: null } : { salt, consent };
      lines.push(writer.write({ type: 'entry', seq: place + 1, ...hashes, ...content }));
    }
    lines.push(writer.write({ type: 'head', listId, length: entries.length, entryHash: previous.toString('hex') }));
  }
  const entries = chains.reduce((sum, chain) => sum + chain.length, 0);
  lines.push(writer.write({ type: 'end', chains: chains.length, entries, unchained: 0, sha256: writer.sha256() }));
  return lines;
}

async function* inChunks(bytes: Buffer, size = 4_096): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const verify = (lines: readonly Buffer[], size?: number) => verifyLedger(inChunks(Buffer.concat(lines), size));
const problemsOf = async (lines: readonly Buffer[]) => (await verify(lines)).findings.map(({ problem }) => problem);

/** Recomputes the last line as a forger would, so that only the chains can reveal the change. */
function withNewEnd(lines: readonly Buffer[]): Buffer[] {
  const body = lines.slice(0, -1);
  const end: Record<string, unknown> = JSON.parse(String(lines.at(-1)));
  const entries = body.filter((line) => line.includes('"type":"entry"')).length;
  const sha256 = createHash('sha256').update(Buffer.concat(body)).digest('hex');
  return [...body, Buffer.concat([canonicalJson({ ...end, entries, sha256 }), Buffer.from('\n')])];
}

const runs = { numRuns: 60 };

describe('an exported ledger', () => {
  it('verifies as it was written, in chunks of any size, erased entries included', () =>
    fc.assert(
      fc.asyncProperty(ledger, fc.integer({ min: 1, max: 5_000 }), async (chains, size) => {
        const report = await verify(exportOf(chains), size);
        const all = chains.flat();
        expect(report).toMatchObject({
          valid: true,
          accountId: ACCOUNT,
          entries: all.length,
          erased: all.filter(({ erased }) => erased).length,
          unchained: 0,
          findings: [],
        });
        expect(report.heads.map(({ listId, length }) => [listId, length])).toEqual(
          chains.map((chain, index) => [LISTS[index], chain.length]),
        );
      }),
      runs,
    ));

  it('does not verify with any bit flipped', () =>
    fc.assert(
      fc.asyncProperty(ledger, fc.nat(), fc.nat(7), async (chains, at, bit) => {
        const bytes = Buffer.concat(exportOf(chains));
        const place = at % bytes.length;
        bytes.writeUInt8(bytes.readUInt8(place) ^ (1 << bit), place);
        expect((await verify([bytes])).valid).toBe(false);
      }),
      { numRuns: 300 },
    ));

  it('does not verify when it was cut anywhere', () =>
    fc.assert(
      fc.asyncProperty(ledger, fc.nat(), async (chains, at) => {
        const bytes = Buffer.concat(exportOf(chains));
        const report = await verify([bytes.subarray(0, at % bytes.length)]);
        expect(report.findings.map(({ problem }) => problem)).toContain('truncated');
      }),
      runs,
    ));

  it.each(['drop', 'swap', 'repeat', 'move to the other chain'] as const)(
    'does not verify after a line was changed though the last line fits: %s',
    (change) =>
      fc.assert(
        fc.asyncProperty(ledger, fc.nat(), fc.nat(), async (chains, first, second) => {
          const lines = exportOf(chains);
          const [a, b] = [first % (lines.length - 1), second % (lines.length - 1)];
          fc.pre(a !== b && !lines[a]?.equals(lines[b] ?? Buffer.alloc(0)));
          const changed = [...lines];
          const [lineA, lineB] = [lines[a] ?? Buffer.alloc(0), lines[b] ?? Buffer.alloc(0)];
          if (change === 'drop') changed.splice(a, 1);
          else if (change === 'repeat') changed.splice(b, 0, lineA);
          else if (change === 'swap') [changed[a], changed[b]] = [lineB, lineA];
          else changed.splice(b, 0, ...changed.splice(a, 1));
          expect((await verify(withNewEnd(changed))).valid).toBe(false);
        }),
        runs,
      ),
  );

  it('does not verify when a record was put in the place of another, whatever the salt', () =>
    fc.assert(
      fc.asyncProperty(ledger, entryOf(LISTS[0]), hash, async (chains, consent, salt) => {
        const [chain = [], other = []] = chains;
        const lines = exportOf([chain.map((entry) => ({ ...entry, erased: false })), other]);
        const line: Record<string, unknown> = JSON.parse(String(lines[2]));
        lines[2] = Buffer.concat([canonicalJson({ ...line, consent, salt }), Buffer.from('\n')]);
        expect(await problemsOf(withNewEnd(lines))).toEqual(['commitment-mismatch']);
      }),
      runs,
    ));

  it('still lies on the head that was kept from before, unless what came before was rewritten', () =>
    fc.assert(
      fc.asyncProperty(ledger, ledger, async (chains, rewritten) => {
        const { heads } = await verify(exportOf(chains));
        const longer = chains.map((chain, index) => [...chain, ...(rewritten[index] ?? [])]);
        expect((await verifyLedger(inChunks(Buffer.concat(exportOf(longer))), heads)).valid).toBe(true);
        const forged = await verifyLedger(inChunks(Buffer.concat(exportOf(rewritten))), heads);
        expect(forged.valid).toBe(false);
        expect(forged.findings.every(({ problem }) => problem.startsWith('earlier-head'))).toBe(true);
      }),
      runs,
    ));
});

describe('a line of an export', () => {
  const [sample = []] = fc.sample(ledger, { numRuns: 1, seed: 1 });
  const lines = exportOf(sample);

  it('verifies unchanged', async () => {
    expect(await problemsOf(withNewEnd(lines))).toEqual([]);
  });

  it.each([
    ['with a space', (text: string) => text.replace(':', ': ')],
    ['with a member twice', (text: string) => text.replace('{', '{"type":"chain",')],
    ['with a member more', (text: string) => text.replace('{', '{"a":1,')],
    ['with an escape that need not be', (text: string) => text.replace('lst', '\\u006cst')],
    ['that ends in CR LF', (text: string) => text.replace('\n', '\r\n')],
    ['with a byte order mark', (text: string) => `\ufeff${text}`],
    ['that is empty', () => '\n'],
    ['longer than any can be', () => `"${'x'.repeat(70_000)}"\n`],
  ])('%s is malformed', async (_what, change) => {
    const changed = [...lines];
    changed[1] = Buffer.from(change(String(lines[1])));
    expect(await problemsOf(withNewEnd(changed))).toContain('malformed-line');
  });
});
