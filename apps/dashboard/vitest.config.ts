import { compileMessages } from '../../packages/page-kit/src/build/compile-messages.ts';
import { PROPERTY_SEED, svcVitest } from '../../tooling/vitest.shared.ts';

export default {
  ...svcVitest({ include: ['src/**/*.test.{ts,tsx}'], setupFiles: [PROPERTY_SEED] }),
  plugins: [compileMessages()],
};
