import { compileMessages } from '../../packages/site-build/src/compile-messages.ts';
import { PROPERTY_SEED, svcVitest } from '../../vitest.shared.ts';

export default {
  ...svcVitest({ include: ['src/**/*.test.{ts,tsx}'], setupFiles: [PROPERTY_SEED] }),
  plugins: [compileMessages()],
};
