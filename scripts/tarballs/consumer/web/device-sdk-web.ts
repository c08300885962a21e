import {
  type CheckInDevice,
  createVideoCamera,
  createWebDevice,
  forgetWebDevice,
  verificationOutcomes,
} from '@svc/device-sdk-web';

/** What a page does with the packed package; scripts/check-tarballs.mjs checks its types. */
export async function verify(video: HTMLVideoElement, scannedId: string, deviceToken: string): Promise<boolean> {
  const device: CheckInDevice = await createWebDevice({
    deviceToken,
    region: { baseUrl: location.origin, signingKeys: ['A'.repeat(43)] },
    assetsUrl: 'assets/',
    passiveLiveness: 'absent-staff-in-view',
  });
  await device.syncAsync();
  const { outcome } = await device.verifyLiveAsync(
    scannedId,
    createVideoCamera(video, { onPrompt: ({ key }) => video.setAttribute('aria-label', key) }),
  );
  await device.dispose();
  await forgetWebDevice();
  return outcome === 'Match';
}

export async function use(): Promise<void> {
  if (typeof createWebDevice !== 'function' || !verificationOutcomes.includes('Match')) throw new Error('not loaded');
}
