/**
 * The page runs its own scripts and nothing else, talks to the API alone, and may be in anybody's frame: what a token can do, its holder can
 * do without a frame as well (docs/threat-model.md).
 * @param apiOrigin the API's where it is not the site's own
 */
export function pagePolicy(apiOrigin: string | null): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    // A chosen file's size is read before it is decoded.
    "img-src 'self' blob:",
    ['connect-src', "'self'", ...(apiOrigin === null ? [] : [apiOrigin])].join(' '),
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    'frame-ancestors *',
    "require-trusted-types-for 'script'",
    'trusted-types default',
  ].join('; ');
}
