import { createHmac, hkdfSync } from 'node:crypto';
import type { Random } from '../platform/ports.ts';
import type { KeyRing } from './key-ring.ts';
import { encodeContext, openBox, sealBox } from './sealed-box.ts';

const KEY_BYTES = 32;

/** Uses of an account's key: pseudonyms that only this account can compute, and sealing of its data. */
export type AccountVault = Awaited<ReturnType<typeof openAccountVault>>;

/** Opens an account's vault, does a short piece of work, and closes it. @throws KeyShreddedError as {@link openAccountVault} */
export async function withAccountVault<T>(
  o: { readonly keyRing: Pick<KeyRing, 'unwrapAccountKey'>; readonly random: Random },
  accountId: string,
  work: (vault: AccountVault) => T | Promise<T>,
): Promise<T> {
  const vault = await openAccountVault(o.keyRing, o.random, accountId);
  try {
    return await work(vault);
  } finally {
    vault.close();
  }
}

/** Opens an account's vault for a short piece of work. @throws KeyShreddedError when the account has no key */
export async function openAccountVault(keyRing: Pick<KeyRing, 'unwrapAccountKey'>, random: Random, accountId: string) {
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

  /** 32 bytes, which differ by purpose. */
  const pseudonym = (purpose: string, of: string | Uint8Array): Buffer =>
    createHmac('sha256', keyFor(purpose)).update(of).digest();
  /** Seals data for one purpose; the box opens for the same id only. */
  const seal = (purpose: string, id: string, content: Uint8Array): Buffer =>
    Buffer.from(sealBox(random, keyFor(purpose), content, encodeContext(purpose, accountId, id)));
  const open = (purpose: string, id: string, sealed: Uint8Array): Uint8Array | null =>
    openBox(keyFor(purpose), sealed, encodeContext(purpose, accountId, id));
  const openText = (purpose: string, id: string, sealed: Uint8Array): string | null => {
    const opened = open(purpose, id, sealed);
    return opened === null ? null : Buffer.from(opened).toString('utf8');
  };
  const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

  return {
    /** 32 bytes: identifies a person on the bill. Differs from the person's other pseudonyms. */
    billingPseudonym: (personId: string) => pseudonym('svc/billing/v1', personId),
    /** 32 bytes: identifies a person in the consent ledger. */
    consentPseudonym: (personId: string) => pseudonym('svc/consent-reference/v1', personId),
    /** 32 bytes: identifies the person of a webhook delivery; differs between lists. */
    webhookPseudonym: (listId: string, personId: string) =>
      pseudonym('svc/webhook-reference/v1', encodeContext(listId, personId)),
    /** 32 bytes: identifies the ticket of enrolment tokens; differs between lists. */
    ticketPseudonym: (listId: string, ticketId: string) =>
      pseudonym('svc/ticket-reference/v1', encodeContext(listId, ticketId)),
    /** 32 bytes: identifies a value under a key of a person's metadata; differs between lists. */
    metadataPseudonym: (listId: string, key: string, value: string) =>
      pseudonym('svc/metadata-reference/v1', encodeContext(listId, key, value)),
    /** 32 bytes: the key under which a list's devices know people whom they let in. The caller wipes it. */
    admissionKey: (listId: string) => pseudonym('svc/admission-key/v1', listId),
    /** 32 bytes: of request data; each field is preceded by its length. */
    requestHmac: (...fields: readonly string[]) => pseudonym('svc/request/v1', encodeContext(...fields)),

    /** Of one record of the ledger. What opens is null when it was not sealed for this id, here and below. */
    sealPersonId: (consentId: string, personId: string) =>
      seal('svc/consent-person/v1', consentId, Buffer.from(personId)),
    openPersonId: (consentId: string, sealed: Uint8Array) => openText('svc/consent-person/v1', consentId, sealed),
    /** A webhook's secret or a delivery's payload. @param id of the webhook or the delivery */
    sealWebhook: (id: string, content: Uint8Array) => seal('svc/webhook/v1', id, content),
    /** The caller wipes a secret. */
    openWebhook: (id: string, sealed: Uint8Array) => open('svc/webhook/v1', id, sealed),
    /** The secret that signs a list's check-ins. */
    sealCheckInSecret: (listId: string, secret: Uint8Array) => seal('svc/check-in/v1', listId, secret),
    /** The caller wipes it. */
    openCheckInSecret: (listId: string, sealed: Uint8Array) => open('svc/check-in/v1', listId, sealed),
    /** The secret of 32 bytes from which a device's counts of arrivals are signed. The caller wipes it. */
    arrivalsSecret: (of: { readonly listId: string; readonly deviceId: string }) =>
      pseudonym('svc/arrivals-secret/v1', encodeContext(of.listId, of.deviceId)),
    /** A stored answer for repeats of its request. */
    sealAnswer: (requestHmac: Uint8Array, answer: string) =>
      seal('svc/answer/v1', hex(requestHmac), Buffer.from(answer)),
    openAnswer: (requestHmac: Uint8Array, sealed: Uint8Array) => openText('svc/answer/v1', hex(requestHmac), sealed),
    /** Of one enrolment token, or of one recipient of a mailing. */
    sealTicketId: (id: string, ticketId: string) => seal('svc/ticket/v1', id, Buffer.from(ticketId)),
    openTicketId: (id: string, sealed: Uint8Array) => openText('svc/ticket/v1', id, sealed),
    /** Of one recipient of a mailing. */
    sealAddress: (recipientId: string, address: string) => seal('svc/address/v1', recipientId, Buffer.from(address)),
    openAddress: (recipientId: string, sealed: Uint8Array) => openText('svc/address/v1', recipientId, sealed),
    /** The personId at which a page of a list's people ends. */
    sealPlace: (listId: string, personId: string) => seal('svc/place/v1', listId, Buffer.from(personId)),
    openPlace: (listId: string, sealed: Uint8Array) => openText('svc/place/v1', listId, sealed),
    /** Of one person. */
    sealMetadata: (rowId: string, metadata: string) => seal('svc/metadata/v1', rowId, Buffer.from(metadata)),
    openMetadata: (rowId: string, sealed: Uint8Array) => openText('svc/metadata/v1', rowId, sealed),
    /** Wipes the keys; the vault is unusable afterwards. */
    close() {
      isClosed = true;
      accountKey.fill(0);
      for (const key of derived.values()) key.fill(0);
    },
  };
}
