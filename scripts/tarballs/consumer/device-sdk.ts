import { ok } from 'node:assert/strict';
import { CheckInDevice, type KeyStore, type VerificationOutcome, verificationOutcomes } from '@svc/device-sdk';
import { createMemoryKeyStore } from '@svc/device-sdk/adapters';
import { keyStoreContract } from '@svc/device-sdk/contracts';
import { runAttempt } from '@svc/device-sdk/evaluation';

export async function use(): Promise<void> {
  for (const { check } of keyStoreContract) {
    const port: KeyStore = createMemoryKeyStore();
    await check({ port, reopen: null });
  }
  const match: VerificationOutcome = 'Match';
  ok(verificationOutcomes.includes(match));
  ok(typeof CheckInDevice.create === 'function' && typeof runAttempt === 'function');
}
