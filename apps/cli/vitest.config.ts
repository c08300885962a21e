import { nativeRenderer } from '../../tooling/vitest.native-renderer.ts';
import { svcVitest } from '../../tooling/vitest.shared.ts';

export default svcVitest({ globalSetup: ['@svc/api/testing/global-setup'], alias: await nativeRenderer() });
