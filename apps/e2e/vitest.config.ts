import { nativeRenderer } from '../../vitest.native-renderer.ts';
import { PROPERTY_SEED, svcVitest } from '../../vitest.shared.ts';

/** Minutes before a camera in real time: not in every run, and nothing of them is loaded then. */
const longOfTheKiosk = 'src/kiosk/{table,trouble,re-entry,camera-file}.e2e.test.ts';

/**
 * Every form that a picture comes in, every thing that a page can do with the frame, every key, every moment at which the
 * network can fail, a film in real time: minutes.
 */
const longOfTheWidget = 'src/widget/{upload,hostile-frame,page-keys,page-trouble,own-camera}.e2e.test.ts';

/** Every result of a native shell's page in real time, and its renderer killed at every message: minutes. */
const longOfNative = 'src/native/native-door.e2e.test.ts';

/** The former release, which the run builds before, with real photos: minutes. */
const longOfUpgrades = 'src/upgrade/**/*.test.ts';

const long = [
  ...(process.env.SVC_TEST_FORMER_RELEASE ? [] : [longOfUpgrades]),
  ...(process.env.SVC_TEST_NATIVE_ALL === '1' ? [] : [longOfNative]),
  ...(process.env.SVC_TEST_KIOSK_ALL === '1' ? [] : [longOfTheKiosk]),
  ...(process.env.SVC_TEST_WIDGET_ALL === '1' ? [] : [longOfTheWidget]),
];

/**
 * What changes its process for everything behind it (WebCrypto), and what needs a sharp that reads other forms than
 * JPEG and PNG.
 */
const alone = ['src/simulation/**/*.test.ts', 'src/widget/upload.e2e.test.ts'];

const alias = await nativeRenderer();

export default svcVitest({
  globalSetup: ['@svc/api/testing/global-setup'],
  projects: [
    // Loads the service, the engine and the renderer once a worker, not once a file.
    // Three at a time on two cores, because many wait for a camera.
    svcVitest({
      ...{ name: 'together', alias, isolate: false, exclude: [...alone, ...long] },
      setupFiles: [PROPERTY_SEED],
      maxWorkers: 3,
      // In `npm test`, which lists what needed it.
      retry: process.env.SVC_TEST_OUTCOMES ? 1 : 0,
      sequence: { groupOrder: 0 },
    }),
    svcVitest({ name: 'alone', alias, isolate: true, include: alone, exclude: long, sequence: { groupOrder: 1 } }),
  ],
});
