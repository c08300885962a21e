import { createHmac, hkdfSync } from 'node:crypto';
import type { Random } from '../ports.ts';
import type { KeyRing } from './key-ring.ts';
import { encodeContext, openBox, sealBox } from './sealed-box.ts';

const KEY_BYTES = 32;

/** What an account's key does for its people: pseudonyms that only this account can make, and the sealing of a personId in the ledger. */
export interface AccountVault {
  /** 32 bytes: who is on the bill. Not the same bytes as the other pseudonym of the same person. */
  billingPseudonym(personId: string): Buffer;
  /** 32 bytes: whose records these are in the consent ledger. */
  consentPseudonym(personId: string): Buffer;
  /** The personId of one ledger record, readable with the account's key alone. */
  sealPersonId(consentId: string, personId: string): Buffer;
  /** Null when this is not what {@link sealPersonId} made for this record. */
  openPersonId(consentId: string, sealed: Uint8Array): string | null;
  /** Wipes the keys; no other method works afterwards. */
  close(): void;
}

/** Opens an account's vault for the length of one piece of work. @throws KeyShreddedError when the account has no key */
export async function openAccountVault(keyRing: KeyRing, random: Random, accountId: string): Promise<AccountVault> {
  const accountKey = await keyRing.unwrapAccountKey(accountId);
  const derive = (purpose: string) =>
    new Uint8Array(hkdfSync('sha256', accountKey, new Uint8Array(0), encodeContext(purpose, accountId), KEY_BYTES));
  const billingKey = derive('svc/billing/v1');
  const referenceKey = derive('svc/consent-reference/v1');
  const sealingKey = derive('svc/consent-person/v1');
  accountKey.fill(0);

  const context = (consentId: string) => encodeContext('svc/consent-person/v1', accountId, consentId);
  return {
    billingPseudonym: (personId) => createHmac('sha256', billingKey).update(personId, 'utf8').digest(),
    consentPseudonym: (personId) => createHmac('sha256', referenceKey).update(personId, 'utf8').digest(),
    sealPersonId: (consentId, personId) =>
      Buffer.from(sealBox(random, sealingKey, Buffer.from(personId, 'utf8'), context(consentId))),
    openPersonId(consentId, sealed) {
      const opened = openBox(sealingKey, sealed, context(consentId));
      return opened === null ? null : Buffer.from(opened).toString('utf8');
    },
    close() {
      for (const key of [billingKey, referenceKey, sealingKey]) key.fill(0);
    },
  };
}
