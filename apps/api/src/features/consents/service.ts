import type { Consent, ConsentEntry } from '@svc/protocol';
import type { AccountVault } from '../../crypto/account-vault.ts';
import type { Transaction } from '../../db/connection.ts';
import type { Uses } from '../uses.ts';
import { commitmentOf, genesisHash, SALT_BYTES } from './chain.ts';
import type { ConsentStore } from './store.ts';

/** A person's consent for a list. */
export interface ConsentSubject {
  readonly accountId: string;
  readonly listId: string;
  readonly personId: string;
}

/** Who showed the wording; for the service also which wording. */
export type Shown =
  | { readonly by: 'organiser' }
  | {
      readonly by: 'service';
      /** Hex, as {@link Wording.sha256}. */
      readonly wordingSha256: string;
      readonly language: string;
    };

/**
 * Writes the consent ledger. A record is appended to its list's chain and never changed until its evidence is erased.
 */
export type ConsentService = ReturnType<typeof createConsentService>;

type Content = Omit<ConsentEntry, 'consentId' | 'listId' | 'personId' | 'recordedAt' | 'faceDeleteAfter'>;

const WITHDRAWN: Content = {
  kind: 'withdrawn',
  consentVersion: null,
  givenAt: null,
  explicitBiometricConsent: null,
  writtenRelease: null,
  under16: null,
  guardianConsent: null,
  shownBy: null,
  wordingSha256: null,
  wordingLanguage: null,
};

/** Before the version of a form that was signed on paper: no published wording has such a version. */
const PAPER = 'paper:';

function givenContent(consent: Consent, shown: Shown): Content {
  const { explicitBiometricConsent, writtenRelease, under16, guardianConsent, paperForm } = consent;
  const wording = shown.by === 'service' ? shown : paperForm;
  return {
    kind: 'given',
    consentVersion: paperForm === undefined ? consent.consentVersion : `${PAPER}${paperForm.version}`,
    givenAt: new Date(consent.givenAt).toISOString(),
    explicitBiometricConsent,
    writtenRelease,
    under16,
    guardianConsent,
    shownBy: shown.by,
    wordingSha256: wording?.wordingSha256 ?? null,
    wordingLanguage: wording?.language ?? null,
  };
}

export function createConsentService(
  o: Uses<'ids' | 'clock' | 'random'> & {
    readonly store: ConsentStore;
  },
) {
  async function append(
    tx: Transaction,
    vault: AccountVault,
    { accountId, listId, personId }: ConsentSubject,
    content: Content,
    faceDeleteAfter: Date,
  ): Promise<void> {
    const consentId = o.ids.nextUuid();
    const times = {
      recordedAt: new Date(o.clock.now()).toISOString(),
      faceDeleteAfter: faceDeleteAfter.toISOString(),
    };
    const salt = Buffer.from(o.random.bytes(SALT_BYTES));
    const commitment = commitmentOf(salt, { consentId, listId, personId, ...content, ...times });
    const personRef = vault.consentPseudonym(personId);
    const personIdSealed = vault.sealPersonId(consentId, personId);
    const record = { consentId, listId, personRef, personIdSealed, ...content, ...times };
    await o.store.append(tx, accountId, record, { genesis: genesisHash(accountId, listId), commitment, salt });
  }

  return {
    /** Records a consent, in the transaction that stores the face. */
    recordGiven: (
      tx: Transaction,
      vault: AccountVault,
      subject: ConsentSubject,
      consent: Consent,
      faceDeleteAfter: Date,
      shown: Shown,
    ): Promise<void> => append(tx, vault, subject, givenContent(consent, shown), faceDeleteAfter),
    /**
     * Records a withdrawal, in the transaction that erases the face.
     * @param faceDeleteAfter deadline of the erased face. If the consent has a later one, because the deadline was
     * brought forward since, the record gets that: a withdrawal is kept as long as its consent
     */
    async recordWithdrawn(tx: Transaction, vault: AccountVault, subject: ConsentSubject, faceDeleteAfter: Date) {
      const consented = await o.store.latestFaceDeleteAfter(tx, subject, vault.consentPseudonym(subject.personId));
      const later = consented !== null && consented > faceDeleteAfter ? consented : faceDeleteAfter;
      await append(tx, vault, subject, WITHDRAWN, later);
    },
  };
}
