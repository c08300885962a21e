import { deriveLookupKey, lookupTag, openRecord } from '@svc/core/pack';
import { createNodeAead } from '@svc/core/testing/peers';
import type { composeAdmin } from '../../compose/admin.ts';
import { type AccountVault, openAccountVault } from '../../crypto/account-vault.ts';
import { verifyLedger } from '../../features/consents/chain.ts';

/** The services of a deployment, opened beside its nodes. */
export type Deployment = Awaited<ReturnType<typeof composeAdmin>>;

/** Impossible states, each with a query that finds them; `thing` identifies the row by our own ids. */
const IMPOSSIBLE: readonly (readonly [string, string])[] = [
  [
    'a person without a face',
    `SELECT p.list_id || ' ' || p.row_id AS thing FROM people p LEFT JOIN faces f
       ON (f.account_id, f.list_id, f.epoch, f.tag) = (p.account_id, p.list_id, p.face_epoch, p.face_tag)
     WHERE p.account_id = ? AND f.tag IS NULL`,
  ],
  [
    'a face without a person',
    `SELECT f.list_id || ' ' || f.version AS thing FROM faces f LEFT JOIN people p
       ON (f.account_id, f.list_id, f.epoch, f.tag) = (p.account_id, p.list_id, p.face_epoch, p.face_tag)
     WHERE f.account_id = ? AND p.row_id IS NULL`,
  ],
  [
    'a person who differs from his face',
    `SELECT p.list_id || ' ' || p.row_id AS thing FROM people p JOIN faces f
       ON (f.account_id, f.list_id, f.epoch, f.tag) = (p.account_id, p.list_id, p.face_epoch, p.face_tag)
     WHERE p.account_id = ? AND p.delete_after <> f.delete_after`,
  ],
  [
    'a face that is removed and there',
    `SELECT f.list_id || ' ' || f.version AS thing FROM faces f JOIN face_removals r USING (account_id, list_id, epoch, tag)
     WHERE f.account_id = ? AND f.withheld_version IS NULL`,
  ],
  [
    // Enrolling again with another engine changes two epochs at one version.
    'two changes of one version',
    `SELECT list_id || ' ' || version AS thing FROM
       (SELECT account_id, list_id, epoch, version FROM faces UNION ALL SELECT account_id, list_id, epoch, version FROM face_removals) c
     WHERE account_id = ? GROUP BY list_id, version HAVING count(*) > count(DISTINCT epoch)`,
  ],
  [
    'a change above its list’s version',
    `SELECT l.list_id || ' ' || c.version AS thing FROM
       (SELECT account_id, list_id, version FROM faces UNION ALL SELECT account_id, list_id, version FROM face_removals) c
       JOIN lists l USING (account_id, list_id)
     WHERE c.account_id = ? AND c.version > l.list_version`,
  ],
  [
    'a bill that counts other people than it holds',
    `SELECT account_id AS thing FROM accounts a WHERE account_id = ? AND people_billed <>
       (SELECT count(*) FROM billed_people b WHERE b.account_id = a.account_id AND b.plan_period = a.plan_period)`,
  ],
  [
    'a list that a deletion has left behind',
    'SELECT list_id AS thing FROM lists WHERE account_id = ? AND deleting_at IS NOT NULL',
  ],
  [
    'a device that its list’s deletion has forgotten',
    `SELECT d.device_id AS thing FROM devices d LEFT JOIN lists l USING (account_id, list_id)
     WHERE d.account_id = ? AND l.list_id IS NULL`,
  ],
  [
    'a consent outside of every chain',
    'SELECT consent_id::text AS thing FROM consents WHERE account_id = ? AND seq IS NULL',
  ],
  [
    'a chain of another length than its entries',
    `SELECT c.list_id AS thing FROM consent_chains c WHERE c.account_id = ? AND c.length <>
       (SELECT count(*) FROM consents e WHERE (e.account_id, e.list_id) = (c.account_id, c.list_id) AND e.seq IS NOT NULL)`,
  ],
  [
    'two enrolments by one ticket’s tokens',
    `SELECT list_id || ' ' || min(token_id) AS thing FROM enrolment_tokens WHERE account_id = ? AND person_row_id IS NOT NULL
     GROUP BY list_id, ticket_ref, used_at HAVING count(*) > 1`,
  ],
  [
    'a spent token that still knows its ticket',
    // A declined one knows it as long as the decline can be undone.
    'SELECT token_id AS thing FROM enrolment_tokens WHERE account_id = ? AND used_at IS NOT NULL AND ticket_id_sealed IS NOT NULL',
  ],
  [
    'a delivery that waits with nothing to say',
    "SELECT delivery_id AS thing FROM webhook_deliveries WHERE account_id = ? AND state = 'pending' AND payload IS NULL",
  ],
  [
    'an answer that is half kept',
    `SELECT encode(key_hmac, 'hex') AS thing FROM idempotent_requests WHERE account_id = ?
       AND ((state = 'answered') <> (answer_sealed IS NOT NULL) OR (state = 'claimed') <> (claim_id IS NOT NULL))`,
  ],
];

interface FaceRow {
  readonly list_id: string;
  readonly row_id: string;
  readonly person_id: string;
  readonly epoch: number;
  readonly engine_id: string;
  readonly dimension: number;
  readonly tag: Buffer;
  readonly record: Buffer;
  readonly delete_after: Date;
}

const FACES = `
SELECT p.list_id, p.row_id::text, p.person_id, f.epoch, e.engine_id, e.dimension, f.tag, f.record, p.delete_after
FROM people p
JOIN faces f ON (f.account_id, f.list_id, f.epoch, f.tag) = (p.account_id, p.list_id, p.face_epoch, p.face_tag)
JOIN list_epochs e ON (e.account_id, e.list_id, e.epoch) = (f.account_id, f.list_id, f.epoch)
WHERE p.account_id = ?`;

/** Each person's latest consent and place on the bill; pseudonyms are compared in the database. */
const LATEST_CONSENT = `
SELECT kind, face_delete_after FROM consents WHERE account_id = ? AND list_id = ? AND person_ref = ? ORDER BY seq DESC LIMIT 1`;
const IS_BILLED = `
SELECT 1 FROM billed_people b JOIN accounts a USING (account_id)
WHERE b.account_id = ? AND b.plan_period = a.plan_period AND b.person_hmac = ?`;

/** Examines one account without requests in progress. */
class Examination {
  readonly #deployment: Deployment;
  readonly #accountId: string;
  readonly #aead = createNodeAead();
  readonly findings: string[] = [];

  constructor(deployment: Deployment, accountId: string) {
    this.#deployment = deployment;
    this.#accountId = accountId;
  }

  async #rows<Row>(sql: string, ...values: unknown[]): Promise<Row[]> {
    const bindings = [this.#accountId, ...values] as string[];
    return (await this.#deployment.database.connection.raw<{ rows: Row[] }>(sql, bindings)).rows;
  }

  async tables(): Promise<void> {
    for (const [what, sql] of IMPOSSIBLE) {
      for (const { thing } of await this.#rows<{ thing: string }>(sql)) this.findings.push(`${what}: ${thing}`);
    }
  }

  async ledger(): Promise<void> {
    const report = await verifyLedger(this.#deployment.ledger.export(this.#accountId));
    for (const { problem, listId, seq } of report.findings)
      this.findings.push(`the ledger, ${problem}: ${listId} ${seq}`);
  }

  async people(): Promise<void> {
    const { keyRing, random } = this.#deployment;
    const vault = await openAccountVault(keyRing, random, this.#accountId);
    try {
      for (const face of await this.#rows<FaceRow>(FACES)) await this.#person(face, vault);
      await this.#consentsOfNobody(vault);
    } finally {
      vault.close();
    }
  }

  async #person(face: FaceRow, vault: AccountVault): Promise<void> {
    const name = `${face.list_id} ${face.row_id}`;
    const { list_id: listId, person_id: personId, epoch, engine_id: engineId, dimension, record } = face;
    try {
      const listKey = await this.#deployment.keyRing.unwrapListKey(listId, epoch);
      if (!face.tag.equals(lookupTag(deriveLookupKey(listKey), personId))) this.findings.push(`another’s tag: ${name}`);
      await openRecord(this.#aead, { listKey, listId, epoch, engineId, dimension, personId, record });
    } catch {
      this.findings.push(`a face that does not open: ${name}`);
    }
    const [consent] = await this.#rows<{ kind: string; face_delete_after: Date }>(
      LATEST_CONSENT,
      listId,
      vault.consentPseudonym(personId),
    );
    if (consent?.kind !== 'given') this.findings.push(`a person without a consent: ${name}`);
    else if (consent.face_delete_after.getTime() !== face.delete_after.getTime()) {
      this.findings.push(`a consent to another deadline: ${name}`);
    }
    if ((await this.#rows(IS_BILLED, vault.billingPseudonym(personId))).length === 0) {
      this.findings.push(`a person who is not on the bill: ${name}`);
    }
  }

  /** One per epoch of a list; without epochs whose key is missing, which the check of the faces reports. */
  async #lookupKeys(listId: string): Promise<readonly Uint8Array[]> {
    const epochs = await this.#rows<{ epoch: number }>(
      'SELECT epoch FROM list_epochs WHERE account_id = ? AND list_id = ?',
      listId,
    );
    const keys = epochs.map(({ epoch }) =>
      this.#deployment.keyRing.unwrapListKey(listId, epoch).then(deriveLookupKey, () => null),
    );
    return (await Promise.all(keys)).filter((key) => key !== null);
  }

  /** In an existing list every consent belongs to a face or a removal; a dropped epoch's removals are dropped too. */
  async #consentsOfNobody(vault: AccountVault): Promise<void> {
    const consents = await this.#rows<{ consent_id: string; list_id: string; person_id_sealed: Buffer; all: boolean }>(
      `SELECT c.consent_id::text, c.list_id, c.person_id_sealed, l.last_epoch = 0 AS all
       FROM consents c JOIN lists l USING (account_id, list_id) WHERE c.account_id = ? AND c.kind = 'given'`,
    );
    const lookupKeys = new Map<string, readonly Uint8Array[]>();
    for (const { consent_id: consentId, list_id: listId, person_id_sealed: sealed, all } of consents) {
      const personId = vault.openPersonId(consentId, sealed);
      if (personId === null) {
        this.findings.push(`a consent of nobody knows whom: ${consentId}`);
        continue;
      }
      const keys = lookupKeys.get(listId) ?? (await this.#lookupKeys(listId));
      lookupKeys.set(listId, keys);
      if (!all || keys.length === 0) continue;
      const tags = keys.map((key) => Buffer.from(lookupTag(key, personId)));
      const places = await this.#rows(
        `SELECT 1 FROM faces WHERE account_id = ? AND list_id = ? AND tag = ANY (?)
         UNION ALL SELECT 1 FROM face_removals WHERE account_id = ? AND list_id = ? AND tag = ANY (?)`,
        ...[listId, tags],
        ...[this.#accountId, listId, tags],
      );
      if (places.length === 0) this.findings.push(`a consent without a face: ${consentId}`);
    }
  }
}

/**
 * Finds partial writes in an account without requests in progress: rows without their counterpart, faces that do not
 * open, people without consent or bill, duplicate versions, an invalid ledger. Must find none whatever happened to the
 * service before.
 * @returns a sentence each, without identifiers of people
 */
export async function findPartialWrites(deployment: Deployment, accountId: string): Promise<string[]> {
  const examination = new Examination(deployment, accountId);
  await examination.tables();
  await examination.ledger();
  await examination.people();
  return examination.findings;
}
