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

/** The consent ledger: what is written is never changed. */
export interface ConsentService {
  /** A consent that the organiser collected; written in the transaction that stores the face. */
  recordGiven(
    tx: Transaction,
    vault: AccountVault,
    subject: ConsentSubject,
    consent: Consent,
    faceDeleteAfter: Date,
  ): Promise<void>;
  /** That a person withdrew; written in the transaction that erases the face. */
  recordWithdrawn(tx: Transaction, vault: AccountVault, subject: ConsentSubject): Promise<void>;
}

export function createConsentService(o: {
  readonly store: ConsentStore;
  readonly ids: Ids;
  readonly clock: Clock;
}): ConsentService {
  function header(vault: AccountVault, { accountId, listId, personId }: ConsentSubject) {
    const consentId = o.ids.nextUuid();
    return {
      accountId,
      consentId,
      listId,
      personRef: vault.consentPseudonym(personId),
      personIdSealed: vault.sealPersonId(consentId, personId),
      recordedAt: new Date(o.clock.now()),
      shownBy: 'organiser',
      wordingSha256: null,
      wordingLanguage: null,
    } as const;
  }
  return {
    recordGiven(tx, vault, subject, consent, faceDeleteAfter) {
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
      return o.store.append(tx, { ...header(vault, subject), kind: 'given', given });
    },
    recordWithdrawn: (tx, vault, subject) =>
      o.store.append(tx, { ...header(vault, subject), kind: 'withdrawn', given: null }),
  };
}
