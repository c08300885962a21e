import { nativeRenderer } from '../tooling/vitest.native-renderer.ts';
import { svcVitest } from '../tooling/vitest.shared.ts';

/**
 * These files change their process for later ones: the backend of TensorFlow.js, and a sharp that reads more formats
 * than JPEG and PNG.
 */
const alone = [
  'accuracy/parity/**/*.test.ts',
  'accuracy/engine/{real-photos,passive-liveness}.test.ts',
  'speed/suites.test.ts',
];

const include = ['{accuracy,inputs,load,speed,statistics}/**/*.test.ts'];
const alias = await nativeRenderer();

export default svcVitest({
  globalSetup: ['@svc/api/testing/global-setup'],
  projects: [
    svcVitest({ name: 'together', alias, include, exclude: alone, sequence: { groupOrder: 0 } }),
    svcVitest({ name: 'alone', alias, isolate: true, include: alone, sequence: { groupOrder: 1 } }),
  ],
});
