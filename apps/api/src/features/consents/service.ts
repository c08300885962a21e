import type { Consent } from '@svc/protocol';
import type { AccountVault } from '../../crypto/account-vault.ts';
import type { Transaction } from '../../db/connection.ts';
import type { Ids } from '../../ids.ts';
import type { Clock } from '../../ports.ts';
import type { ConsentStore } from './store.ts';

/** Whose consent, for which list. */
export interface ConsentSubject {
  readonly accountId: string;
  readonly listId: string;
  readonly personId: string;
}

/** Who showed the wording; where the service did, which one it was. */
export type Shown =
  | { readonly by: 'organiser' }
  | {
      readonly by: 'service';
      /** Hex, as {@link Wording.sha256}. */
      readonly wordingSha256: string;
      readonly language: string;
    };

/** The consent ledger: what is written is never changed. */
export interface ConsentService {
  /** A consent; written in the transaction that stores the face. */
  recordGiven(
    tx: Transaction,
    vault: AccountVault,
    subject: ConsentSubject,
    consent: Consent,
    faceDeleteAfter: Date,
    shown: Shown,
  ): Promise<void>;
  /** That a person withdrew; written in the transaction that erases the face. */
  recordWithdrawn(tx: Transaction, vault: AccountVault, subject: ConsentSubject): Promise<void>;
}

export function createConsentService(o: {
  readonly store: ConsentStore;
  readonly ids: Ids;
  readonly clock: Clock;
}): ConsentService {
  function header(vault: AccountVault, { accountId, listId, personId }: ConsentSubject, shown: Shown) {
    const consentId = o.ids.nextUuid();
    return {
      accountId,
      consentId,
      listId,
      personRef: vault.consentPseudonym(personId),
      personIdSealed: vault.sealPersonId(consentId, personId),
      recordedAt: new Date(o.clock.now()),
      shownBy: shown.by,
      wordingSha256: shown.by === 'service' ? Buffer.from(shown.wordingSha256, 'hex') : null,
      wordingLanguage: shown.by === 'service' ? shown.language : null,
    };
  }
  return {
    recordGiven(tx, vault, subject, consent, faceDeleteAfter, shown) {
      const { consentVersion, explicitBiometricConsent, writtenRelease, under16, guardianConsent } = consent;
      const given = {
        consentVersion,
        givenAt: new Date(consent.givenAt),
        explicitBiometricConsent,
        writtenRelease,
        under16,
        guardianConsent,
        faceDeleteAfter,
      };
      return o.store.append(tx, { ...header(vault, subject, shown), kind: 'given', given });
    },
    recordWithdrawn: (tx, vault, subject) =>
      o.store.append(tx, { ...header(vault, subject, { by: 'organiser' }), kind: 'withdrawn', given: null }),
  };
}
