import { nativeRenderer } from '../../tooling/vitest.native-renderer.ts';
import { PROPERTY_SEED, svcVitest } from '../../tooling/vitest.shared.ts';

/** Every byte of a process searched several times over; a standby promoted under load. */
const longOfMemory = 'src/memory/**/*.test.ts';
const longOfStandby = 'src/standby/**/*.test.ts';
/** The former release, which the run builds before, with real photos: minutes. */
const longOfUpgrades = 'src/upgrade/**/*.test.ts';

/** Starts each demo several times. */
const longOfDemo = 'src/demo/**/*.test.ts';

/** What needs no browser; see playwright.config.ts for the rest. */
export default svcVitest({
  globalSetup: ['@svc/api/testing/global-setup'],
  alias: await nativeRenderer(),
  exclude: [
    ...(process.env.SVC_TEST_MEMORY_ATTEMPTS ? [] : [longOfMemory]),
    ...(process.env.SVC_TEST_DEMO ? [] : [longOfDemo]),
    ...(process.env.SVC_TEST_HSM ? [] : ['src/hsm/**']),
    ...(process.env.SVC_TEST_STANDBY ? [] : [longOfStandby]),
    ...(process.env.SVC_TEST_FORMER_RELEASE ? [] : [longOfUpgrades]),
  ],
  setupFiles: [PROPERTY_SEED],
  // In `npm test`, which lists what needed it.
  retry: Number(process.env.SVC_TEST_RETRIES ?? 0),
});
