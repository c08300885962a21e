/** How the service's pages are built, and how what comes of it is described to whatever web server serves it. */
export { type BundlePageOptions, type BundleScriptOptions, bundlePage, bundleScript } from './bundle.ts';
export { contentTypeOf, IMMUTABLE } from './headers.ts';
export { hashesBelow, type SiteHeaders, writeSite } from './site.ts';
