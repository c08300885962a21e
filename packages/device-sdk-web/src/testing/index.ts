/** Helpers for browser tests of other packages. Exported under the condition `svc-source` only. */
export { FakeShell, type ShellStorage } from './fake-shell.ts';
export { findChromium } from './find-chromium.ts';
export {
  bundleScript,
  deviceAssets,
  devicePage,
  packagedAssets,
  type SitePart,
  startTestSite,
  type TestSite,
} from './test-site.ts';
