/**
 * What tests of other packages need to show pages to a browser. Named under `svc-source` alone: no consumer gets it.
 */
export { findChromium } from './find-chromium.ts';
export { bundleScript, deviceAssets, devicePage, type SitePart, startTestSite, type TestSite } from './test-site.ts';
