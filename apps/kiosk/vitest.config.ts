import { svcVitest } from '../../vitest.shared.ts';

export default svcVitest({ include: ['src/**/*.test.{ts,tsx}'] });
