/** For tests with a test account: what stands for a person's photo and consent. */
import type { ConsentVersion } from '@svc/protocol';
import type { NewPerson } from './enrolment.ts';

export { type TestPhotoName, testPhoto, testPhotoNames } from '@svc/protocol/test-photos';

/** A consent as a person gives it, at this moment. For tests alone: nobody has ticked these boxes. */
export const testConsent = (consentVersion: ConsentVersion): NewPerson['consent'] => ({
  consentVersion,
  givenAt: new Date().toISOString(),
  explicitBiometricConsent: true,
  writtenRelease: true,
});
