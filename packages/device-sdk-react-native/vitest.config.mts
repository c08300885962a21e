import { svcVitest } from '../../vitest.shared.ts';

export default svcVitest();
