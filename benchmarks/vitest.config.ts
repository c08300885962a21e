import { nativeRenderer } from '../tooling/vitest.native-renderer.ts';
import { svcVitest } from '../tooling/vitest.shared.ts';

/**
 * These files change their process for later ones: the backend of TensorFlow.js, and a sharp that reads more formats
 * than JPEG and PNG.
 */
const alone = ['research/parity/*.test.ts', 'research/recognition/real-photos.test.ts', 'speed/suites.test.ts'];

/** Rates over many people, a minute of a processor: a campaign of `npm run test:long`. */
const measured = [
  'research/synthetic/*.test.ts',
  'research/light/*.test.ts',
  'research/recognition/real-photos.test.ts',
];
const campaigns = process.env.SVC_TEST_ALL === '1' ? [] : measured;

const include = ['{inputs,load,research,speed}/**/*.test.ts'];
const alias = await nativeRenderer();

export default svcVitest({
  globalSetup: ['@svc/api/testing/global-setup'],
  projects: [
    svcVitest({ name: 'together', alias, include, exclude: [...alone, ...campaigns], sequence: { groupOrder: 0 } }),
    svcVitest({ name: 'alone', alias, isolate: true, include: alone, exclude: campaigns, sequence: { groupOrder: 1 } }),
  ],
});
