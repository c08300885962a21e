import { renderedCamera } from '@svc/benchmarks/inputs/rendered-camera';
import { openDoorway } from '../device/door.ts';
import { expect, test } from '../support/browser-test.ts';
import { installFakeCamera } from './fake-camera.ts';
import { phone } from './guest.ts';
import { playWalkIn, walkIn } from './walk-in.ts';

/** Fetched while the guest reads the consent. */
const isOfCamera = (address: string): boolean => /\/assets\/(capture|engine)/.test(address);
/** On a busy machine the page looks seldom at the guest, who must not press meanwhile. */
const PATIENT_MS = 120_000;

// Nothing is scripted: the built page, the service’s own engine, a device at the door.
test('a guest is guided to a photo, enrolled, and let in at the door', async ({ browser, enrolling }) => {
  const { token, tokenId, ticketId } = await enrolling.token();
  // Turns to either side well enough for the door.
  const guest = await walkIn(7);
  const context = await browser.newContext({ ...phone });
  await context.addInitScript(installFakeCamera, { size: guest.size });
  const page = await context.newPage();
  const fetched: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => fetched.push(request.url()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  const result = await playWalkIn(page, enrolling.guestLink(token), guest, PATIENT_MS);
  // Two boxes, «continue» and «send».
  expect(result).toMatchObject({ outcome: 'done', isAutomatic: true, retakes: 0, taps: 4 });
  expect(fetched.findIndex(isOfCamera)).toBeGreaterThan(fetched.findIndex((url) => url.includes('/v1/widget/')));
  expect(fetched.filter((address) => address.includes('face-embedding'))).toEqual([]);
  expect(complaints).toEqual([]);
  await context.close();
  expect(await enrolling.isEnrolled(ticketId)).toBe(true);
  expect((await enrolling.tokenState(tokenId)).state).toBe('used');

  const doorway = await openDoorway();
  const region = { baseUrl: enrolling.api.url, signingKeys: [enrolling.api.admin.region().signingKey] };
  const path = `/v1/lists/${enrolling.stage.listId}/devices`;
  const added = await enrolling.customer.request<{ token: string }>('POST', path);
  const device = await doorway.openDevice(added.body.token, region, 'gate');
  try {
    expect(await device.syncAsync()).toMatchObject({ ok: true });
    const visit = await device.verifyLiveAsync(ticketId, renderedCamera({ seed: guest.seed }, { fps: 6 }));
    expect(visit.outcome).toBe('Match');
  } finally {
    await device.dispose();
    await doorway.close();
  }
});

// Many more: `npm run pages -- measure guests`.
for (let number = 0; number < 12; number += 1) {
  test(`guest ${number} is accepted at the first attempt`, { tag: '@long' }, async ({ browser, enrolling }) => {
    const guest = await walkIn(number);
    const { token } = await enrolling.token();
    const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
    await context.addInitScript(installFakeCamera, { size: guest.size });
    const result = await playWalkIn(await context.newPage(), enrolling.guestLink(token), guest, PATIENT_MS);
    expect(result).toMatchObject({ outcome: 'done', isAutomatic: true, retakes: 0, taps: 4 });
    await context.close();
  });
}
