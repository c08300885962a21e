// A door. Each line on standard input is a scanned ID, as most scanners type it; a folder of pictures is the camera.
import { createInterface } from 'node:readline';
import { createFolderCamera, createNodeCheckInDevice } from '@svc/device-sdk-node';

const { DEVICE_TOKEN: deviceToken = '', REGION = '{}', SVC_URL: baseUrl = 'http://127.0.0.1:3000' } = process.env;

const device = await createNodeCheckInDevice({
  deviceToken,
  region: { ...JSON.parse(REGION), baseUrl },
  directory: 'device', // Holds its keys and the sealed list; one process at a time.
  passiveLiveness: 'absent-staff-in-view', // Leave this out if you have run: svc models add recommended
});
try {
  const sync = await device.syncAsync();
  // Without a network the device uses the list of its last sync until the lease ends.
  console.log(sync.ok ? 'synced' : `not synced: ${sync.reason}`, device.status().people);
  device.start(); // From now on it syncs every five minutes.

  for await (const scanned of createInterface({ input: process.stdin })) {
    // Its option `onPrompt` gets what a screen would ask the visitor to do.
    const camera = createFolderCamera({ directory: 'visit', fps: 5 });
    const { outcome, reason } = await device.verifyLiveAsync(scanned, camera);
    console.log(outcome, reason);
    // In a test account the ID chooses the result: such a device must not open a door.
    if (outcome === 'Match' && device.status().mode === 'live') console.log('the door opens');
  }
} finally {
  await device.dispose();
}
