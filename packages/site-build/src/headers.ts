const types: readonly (readonly [RegExp, string])[] = [
  [/\.html$/, 'text/html; charset=utf-8'],
  [/\.js$/, 'text/javascript; charset=utf-8'],
  [/\.d\.ts$/, 'text/plain; charset=utf-8'],
  [/\.css$/, 'text/css; charset=utf-8'],
  [/\.json$/, 'application/json'],
  [/\.webmanifest$/, 'application/manifest+json'],
  [/\.svg$/, 'image/svg+xml'],
  [/\.wasm$/, 'application/wasm'],
];

/** `Content-Type` of a file by its name. */
export function contentTypeOf(path: string): string {
  return types.find(([pattern]) => pattern.test(path))?.[1] ?? 'application/octet-stream';
}

/** `Cache-Control` of a file whose name contains a hash of its content and that therefore never changes. */
export const IMMUTABLE = 'public, max-age=31536000, immutable';
