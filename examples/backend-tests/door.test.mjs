// Each of the eight results at a door, by IDs: the camera is asked for nothing.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createNodeCheckInDevice, createRecordedCamera } from '@svc/device-sdk-node';
import { testConsent, testPhoto } from '@svc/server-sdk/testing';
import { client, newList, region } from './account.mjs';

const results = {
  'test-match': 'Match',
  'test-not-enrolled': 'NotEnrolled',
  'test-lease-expired': 'LeaseExpired',
  'test-expired': 'Expired',
  'test-liveness-failed': 'LivenessFailed',
  'test-challenge-failed': 'ChallengeFailed',
  'test-no-match': 'NoMatch',
  'test-no-face': 'NoFace',
};
let list;
let device;
const directory = await mkdtemp(join(tmpdir(), 'backend-tests-'));

before(async () => {
  list = await newList();
  const given = { image: testPhoto('enrolled'), consent: testConsent(list.consentVersion) };
  const enrolled = await client.enrolPeople(
    list.listId,
    Object.keys(results).map((personId) => ({ personId, ...given })),
  );
  assert.ok(enrolled.results.every(({ status }) => status === 201));
  const { token } = await client.addDevice(list.listId, {});
  const staffed = { passiveLiveness: 'absent-staff-in-view' };
  device = await createNodeCheckInDevice({ deviceToken: token, region, directory, ...staffed });
  await device.syncAsync();
});
after(async () => {
  await device?.dispose();
  if (list !== undefined) await client.deleteList(list.listId);
  await rm(directory, { recursive: true, force: true });
});

test('the door says that it is none', () => assert.equal(device.status().mode, 'test'));

for (const [scannedId, outcome] of Object.entries(results))
  test(`${scannedId} gives ${outcome}`, async () => {
    const result = await device.verifyLiveAsync(scannedId, createRecordedCamera([]));
    assert.equal(result.outcome, outcome);
  });
