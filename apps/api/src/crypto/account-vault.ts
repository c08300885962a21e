import { createHmac, hkdfSync } from 'node:crypto';
import type { Random } from '../platform/ports.ts';
import type { KeyRing } from './key-ring.ts';
import { encodeContext, openBox, sealBox } from './sealed-box.ts';

const KEY_BYTES = 32;

/** Uses of an account's key: pseudonyms that only this account can compute, and sealing of its data. */
export interface AccountVault {
  /** 32 bytes: identifies a person on the bill. Differs from the person's other pseudonyms. */
  billingPseudonym(personId: string): Buffer;
  /** 32 bytes: identifies a person in the consent ledger. */
  consentPseudonym(personId: string): Buffer;
  /** Seals the personId of one ledger record with the account's key. */
  sealPersonId(consentId: string, personId: string): Buffer;
  /** Null when {@link sealPersonId} did not make it for this record. */
  openPersonId(consentId: string, sealed: Uint8Array): string | null;
  /** 32 bytes: identifies the person of a webhook delivery; differs between lists. */
  webhookPseudonym(listId: string, personId: string): Buffer;
  /**
   * Seals a webhook's secret or a delivery's payload with the account's key.
   * @param id of the webhook or the delivery
   */
  sealWebhook(id: string, content: Uint8Array): Buffer;
  /** Null when {@link sealWebhook} did not make it for this id. The caller wipes a secret. */
  openWebhook(id: string, sealed: Uint8Array): Uint8Array | null;
  /** Seals the secret that signs a list's check-ins with the account's key. */
  sealCheckInSecret(listId: string, secret: Uint8Array): Buffer;
  /** Null when {@link sealCheckInSecret} did not make it for this list. The caller wipes it. */
  openCheckInSecret(listId: string, sealed: Uint8Array): Uint8Array | null;
  /** 32 bytes: HMAC of request data under the account's key; each field is preceded by its length. */
  requestHmac(...fields: readonly string[]): Buffer;
  /** Seals a stored answer for repeats of its request with the account's key. */
  sealAnswer(requestHmac: Uint8Array, answer: string): Buffer;
  /** Null when {@link sealAnswer} did not make it for this request. */
  openAnswer(requestHmac: Uint8Array, sealed: Uint8Array): string | null;
  /** 32 bytes: identifies the ticket of enrolment tokens; differs between lists. */
  ticketPseudonym(listId: string, ticketId: string): Buffer;
  /** Seals the ticketId of one enrolment token, or of one recipient of a mailing, with the account's key. */
  sealTicketId(id: string, ticketId: string): Buffer;
  /** Null when {@link sealTicketId} did not make it for this id. */
  openTicketId(id: string, sealed: Uint8Array): string | null;
  /** Seals the address of one recipient of a mailing with the account's key. */
  sealAddress(recipientId: string, address: string): Buffer;
  /** Null when {@link sealAddress} did not make it for this recipient. */
  openAddress(recipientId: string, sealed: Uint8Array): string | null;
  /** Seals the personId at which a page of a list's people ends with the account's key. */
  sealPlace(listId: string, personId: string): Buffer;
  /** Null when {@link sealPlace} did not make it for this list. */
  openPlace(listId: string, sealed: Uint8Array): string | null;
  /** Wipes the keys; the vault is unusable afterwards. */
  close(): void;
}

/** Opens an account's vault for a short piece of work. @throws KeyShreddedError when the account has no key */
export async function openAccountVault(
  keyRing: Pick<KeyRing, 'unwrapAccountKey'>,
  random: Random,
  accountId: string,
): Promise<AccountVault> {
  const accountKey = await keyRing.unwrapAccountKey(accountId);
  const derived = new Map<string, Uint8Array>();
  let isClosed = false;
  /** Derived on first use, as most work needs few of the keys. */
  function keyFor(purpose: string): Uint8Array {
    if (isClosed) throw new Error('the vault is closed');
    const known = derived.get(purpose);
    if (known !== undefined) return known;
    const info = encodeContext(purpose, accountId);
    const key = new Uint8Array(hkdfSync('sha256', accountKey, new Uint8Array(0), info, KEY_BYTES));
    derived.set(purpose, key);
    return key;
  }
  const hmac = (purpose: string) => createHmac('sha256', keyFor(purpose));

  const answerContext = (requestHmac: Uint8Array) =>
    encodeContext('svc/answer/v1', accountId, Buffer.from(requestHmac).toString('hex'));
  const context = (consentId: string) => encodeContext('svc/consent-person/v1', accountId, consentId);
  const webhookContext = (id: string) => encodeContext('svc/webhook/v1', accountId, id);
  const checkInContext = (listId: string) => encodeContext('svc/check-in/v1', accountId, listId);
  const addressContext = (recipientId: string) => encodeContext('svc/address/v1', accountId, recipientId);
  const ticketContext = (tokenId: string) => encodeContext('svc/ticket/v1', accountId, tokenId);
  const placeContext = (listId: string) => encodeContext('svc/place/v1', accountId, listId);
  return {
    billingPseudonym: (personId) => hmac('svc/billing/v1').update(personId, 'utf8').digest(),
    consentPseudonym: (personId) => hmac('svc/consent-reference/v1').update(personId, 'utf8').digest(),
    sealPersonId: (consentId, personId) =>
      Buffer.from(sealBox(random, keyFor('svc/consent-person/v1'), Buffer.from(personId, 'utf8'), context(consentId))),
    openPersonId(consentId, sealed) {
      const opened = openBox(keyFor('svc/consent-person/v1'), sealed, context(consentId));
      return opened === null ? null : Buffer.from(opened).toString('utf8');
    },
    webhookPseudonym: (listId, personId) =>
      hmac('svc/webhook-reference/v1').update(encodeContext(listId, personId)).digest(),
    sealWebhook: (id, content) => Buffer.from(sealBox(random, keyFor('svc/webhook/v1'), content, webhookContext(id))),
    openWebhook: (id, sealed) => openBox(keyFor('svc/webhook/v1'), sealed, webhookContext(id)),
    sealCheckInSecret: (listId, secret) =>
      Buffer.from(sealBox(random, keyFor('svc/check-in/v1'), secret, checkInContext(listId))),
    openCheckInSecret: (listId, sealed) => openBox(keyFor('svc/check-in/v1'), sealed, checkInContext(listId)),
    requestHmac: (...fields) =>
      hmac('svc/request/v1')
        .update(encodeContext(...fields))
        .digest(),
    sealAnswer: (requestHmac, answer) =>
      Buffer.from(sealBox(random, keyFor('svc/answer/v1'), Buffer.from(answer, 'utf8'), answerContext(requestHmac))),
    openAnswer(requestHmac, sealed) {
      const opened = openBox(keyFor('svc/answer/v1'), sealed, answerContext(requestHmac));
      return opened === null ? null : Buffer.from(opened).toString('utf8');
    },
    ticketPseudonym: (listId, ticketId) =>
      hmac('svc/ticket-reference/v1').update(encodeContext(listId, ticketId)).digest(),
    sealTicketId: (tokenId, ticketId) =>
      Buffer.from(sealBox(random, keyFor('svc/ticket/v1'), Buffer.from(ticketId, 'utf8'), ticketContext(tokenId))),
    openTicketId(tokenId, sealed) {
      const opened = openBox(keyFor('svc/ticket/v1'), sealed, ticketContext(tokenId));
      return opened === null ? null : Buffer.from(opened).toString('utf8');
    },
    sealPlace: (listId, personId) =>
      Buffer.from(sealBox(random, keyFor('svc/place/v1'), Buffer.from(personId, 'utf8'), placeContext(listId))),
    openPlace(listId, sealed) {
      const opened = openBox(keyFor('svc/place/v1'), sealed, placeContext(listId));
      return opened === null ? null : Buffer.from(opened).toString('utf8');
    },
    sealAddress: (recipientId, address) =>
      Buffer.from(sealBox(random, keyFor('svc/address/v1'), Buffer.from(address, 'utf8'), addressContext(recipientId))),
    openAddress(recipientId, sealed) {
      const opened = openBox(keyFor('svc/address/v1'), sealed, addressContext(recipientId));
      return opened === null ? null : Buffer.from(opened).toString('utf8');
    },
    close() {
      isClosed = true;
      accountKey.fill(0);
      for (const key of derived.values()) key.fill(0);
    },
  };
}
