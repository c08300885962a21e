import type { Transaction } from '../../db/connection.ts';

/** One line of the consent ledger. Who it is about is sealed; nothing biometric is in it. */
export interface ConsentRecord {
  readonly accountId: string;
  readonly consentId: string;
  readonly listId: string;
  readonly kind: 'given' | 'withdrawn';
  readonly personRef: Buffer;
  readonly personIdSealed: Buffer;
  readonly recordedAt: Date;
  readonly shownBy: 'organiser' | 'service';
  /** Null where the organiser showed the wording. */
  readonly wordingSha256: Buffer | null;
  readonly wordingLanguage: string | null;
  /** Null in a withdrawal. */
  readonly given: {
    readonly consentVersion: string;
    readonly givenAt: Date;
    readonly explicitBiometricConsent: boolean;
    readonly writtenRelease: boolean;
    readonly under16: boolean;
    readonly guardianConsent: boolean;
    readonly faceDeleteAfter: Date;
  } | null;
}

export interface ConsentStore {
  append(tx: Transaction, record: ConsentRecord): Promise<void>;
}

export function createConsentStore(): ConsentStore {
  return {
    async append(tx, record) {
      const { given } = record;
      await tx('consents').insert({
        account_id: record.accountId,
        consent_id: record.consentId,
        list_id: record.listId,
        kind: record.kind,
        person_ref: record.personRef,
        person_id_sealed: record.personIdSealed,
        consent_version: given?.consentVersion ?? null,
        given_at: given?.givenAt ?? null,
        explicit_biometric_consent: given?.explicitBiometricConsent ?? null,
        written_release: given?.writtenRelease ?? null,
        under16: given?.under16 ?? null,
        guardian_consent: given?.guardianConsent ?? null,
        shown_by: record.shownBy,
        wording_sha256: record.wordingSha256,
        wording_language: record.wordingLanguage,
        face_delete_after: given?.faceDeleteAfter ?? null,
        recorded_at: record.recordedAt,
      });
    },
  };
}
