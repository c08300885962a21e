import { svcVitest } from '../../tooling/vitest.shared.ts';

export default svcVitest();
