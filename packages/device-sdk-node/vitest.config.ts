import { svcVitest } from '../../tooling/vitest.shared.ts';

// A test here watches Node's own file system, which no other file's code may have loaded before.
export default svcVitest({ isolate: true });
