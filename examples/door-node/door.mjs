// A door: every line on standard input is a scanned ID, as most scanners type it. A folder of pictures is its camera.
import { createInterface } from 'node:readline';
import { createFolderCamera, createNodeCheckInDevice } from '@svc/device-sdk-node';

const { DEVICE_TOKEN: deviceToken = '', SVC_REGION = '{}', SVC_URL: baseUrl = 'http://127.0.0.1:3000' } = process.env;

const device = await createNodeCheckInDevice({
  deviceToken,
  region: { ...JSON.parse(SVC_REGION), baseUrl },
  directory: 'device', // Its keys and the sealed list; this program's alone.
  passiveLiveness: 'absent-staff-in-view', // With the passive model (svc models add recommended) leave this line out.
});
try {
  const sync = await device.syncAsync();
  // Offline, the list of the last sync serves until its lease ends.
  console.log(sync.ok ? 'synced' : `not synced: ${sync.reason}`, device.status().people);
  device.start(); // From now on it syncs every five minutes.

  for await (const scanned of createInterface({ input: process.stdin })) {
    // `onPrompt` would tell what the screen asks the visitor to do.
    const camera = createFolderCamera({ directory: 'visit', fps: 5 });
    const { outcome, reason } = await device.verifyLiveAsync(scanned, camera);
    console.log(outcome, reason);
    // At a test account's door results follow from IDs: it must open for nobody.
    if (outcome === 'Match' && device.status().mode === 'live') console.log('the door opens');
  }
} finally {
  await device.dispose();
}
