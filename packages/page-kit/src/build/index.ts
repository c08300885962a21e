/** Builds the service's pages, and describes the result to any web server. */
export {
  type BundleInlineOptions,
  type BundlePageOptions,
  type BundleScriptOptions,
  bundleInline,
  bundlePage,
  bundleScript,
} from './bundle.ts';
export { contentTypeOf, hashesBelow, IMMUTABLE, type SiteHeaders, writeSite } from './site.ts';
