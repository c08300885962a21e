import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { openAccountVault } from '../../crypto/account-vault.ts';
import { systemRandom } from '../../platform/ports.ts';
import { commitmentOf, entryHashOf, genesisHash, verifyLedger } from './chain.ts';
import { createConsentLedger } from './ledger.ts';
import type { ConsentStore, StoredConsent } from './store.ts';

const ACCOUNT = 'acc_01jwnafy00e2rbg3vfk4s6q9tz';
const LIST = 'lst_01jwnafy00e2rbg3vfk4s6q9tz';
/** 100,000 in `npm run test:long`. */
const ENTRIES = Number(process.env.SVC_TEST_LEDGER_ENTRIES ?? 1_000);

const keyRing = { unwrapAccountKey: () => Promise.resolve(new Uint8Array(32).fill(7)) };
const vault = await openAccountVault(keyRing, systemRandom, ACCOUNT);

function toStored(seq: number, previous: Buffer): StoredConsent {
  const consentId = `01970aa7-7800-7083-9a2c-${String(seq).padStart(12, '0')}`;
  const personId = `T-${seq}`;
  const content = {
    consentId,
    listId: LIST,
    kind: 'given',
    recordedAt: '2026-05-01T18:30:00.000Z',
    consentVersion: 'eu-v2',
    givenAt: '2026-05-01T18:29:12.000Z',
    explicitBiometricConsent: true,
    writtenRelease: true,
    under16: false,
    guardianConsent: false,
    shownBy: 'organiser',
    wordingSha256: null,
    wordingLanguage: null,
    faceDeleteAfter: '2026-06-20T23:00:00.000Z',
  } as const;
  const salt = Buffer.from(systemRandom.bytes(32));
  const commitment = commitmentOf(salt, { ...content, personId });
  const sealed = {
    personRef: vault.consentPseudonym(personId),
    personIdSealed: vault.sealPersonId(consentId, personId),
  };
  const entryHash = entryHashOf(previous, seq, commitment);
  return { consentId, record: { ...content, ...sealed }, place: { seq, salt, commitment, entryHash } };
}

/** A store that generates a chain while it is read and keeps nothing. */
function createEndlessStore() {
  let hash = genesisHash(ACCOUNT, LIST);
  const asked = { entries: 0 };
  const never = () => Promise.reject(new Error('not asked for'));
  const store: ConsentStore = {
    append: never,
    latestFaceDeleteAfter: never,
    page: never,
    chains: () => Promise.resolve([{ listId: LIST, length: ENTRIES, head: Buffer.alloc(32) }]),
    entries(_key, after, last, rows) {
      asked.entries += 1;
      const count = Math.min(rows, last - after);
      return Promise.resolve(
        Array.from({ length: count }, (_, index) => {
          const stored = toStored(after + index + 1, hash);
          hash = stored.place?.entryHash ?? hash;
          return stored;
        }),
      );
    },
    evidenceRetainDays: () => Promise.resolve(1),
    setEvidenceRetainDays: never,
    evidenceRetention: never,
    eraseEvidence: never,
  };
  return { store, asked };
}

function exportOf(store: ConsentStore) {
  const never = () => Promise.reject(new Error('not asked for'));
  return createConsentLedger({
    store,
    database: { transaction: never },
    audit: { record: never },
    keyRing,
    clock: { now: () => 0 },
    random: systemRandom,
  }).export(ACCOUNT);
}

it('is read no faster than it is taken', async () => {
  const { store, asked } = createEndlessStore();
  const chunks = exportOf(store);
  for (let taken = 0; taken < 4; taken += 1) expect((await chunks.next()).done).toBe(false);
  for (let turn = 0; turn < 50; turn += 1) await nextTurn();
  // the first line, the chain's line, and two batches
  expect(asked.entries).toBe(2);
  await chunks.return(undefined);
});

it('is never held whole, by the one who writes it or by the one who verifies it', { timeout: 600_000 }, async () => {
  const { store } = createEndlessStore();
  let largest = 0;
  async function* watched() {
    for await (const chunk of exportOf(store)) {
      largest = Math.max(largest, chunk.length);
      yield chunk;
    }
  }
  const report = await verifyLedger(watched());
  expect(report.entries).toBe(ENTRIES);
  // only the fabricated head is wrong
  expect(report.findings.map(({ problem }) => problem)).toEqual(['head-mismatch']);
  expect(largest).toBeLessThan(1 << 20);
});
