import { compileMessages } from '../../packages/site-build/src/compile-messages.ts';
import { svcVitest } from '../../vitest.shared.ts';

export default {
  ...svcVitest({ include: ['src/**/*.test.{ts,tsx}'] }),
  plugins: [compileMessages()],
};
