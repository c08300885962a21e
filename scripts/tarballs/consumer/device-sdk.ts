import { ok } from 'node:assert/strict';
import { CheckInDevice, type KeyStore, type VerificationOutcome, verificationOutcomes } from '@svc/device-sdk';
import { createMemoryKeyStore } from '@svc/device-sdk/adapters';
import { runAttempt } from '@svc/device-sdk/evaluation';

export async function use(): Promise<void> {
  const keyStore: KeyStore = createMemoryKeyStore();
  ok((await keyStore.devicePublicKey()).length === 65);
  const match: VerificationOutcome = 'Match';
  ok(verificationOutcomes.includes(match));
  ok(typeof CheckInDevice.create === 'function' && typeof runAttempt === 'function');
}
