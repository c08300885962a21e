/** Helpers for browser tests of other packages. Exported under the condition `svc-source` only. */
export { FakeShell, type ShellStorage } from './fake-shell.ts';
export {
  bundleScript,
  deviceAssets,
  devicePage,
  findChromium,
  packagedAssets,
  type SitePart,
  startTestSite,
  type TestSite,
} from './test-site.ts';
