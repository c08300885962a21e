import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { StartError } from '../../config/start-error.ts';

/** Content codings in which files are stored besides the plain one. */
const encodingNames = ['br', 'gzip'] as const;
type EncodingName = (typeof encodingNames)[number];

const hashOf = (content: string | Uint8Array) => createHash('sha256').update(content).digest('base64');

const path = z.string().regex(/^[\w-][\w.-]*(\/[\w-][\w.-]*)*$/);
const siteSchema = z.object({
  format: z.literal(1),
  files: z.array(
    z.object({
      path,
      sha256: z.string(),
      headers: z.record(z.string(), z.string()),
      encodings: z.array(z.object({ encoding: z.enum(encodingNames), path, sha256: z.string() })).default([]),
    }),
  ),
});

/** One form of a file of a built page. */
export interface StoredForm {
  readonly bytes: Buffer;
  /** Base64, of the bytes; the page itself may have another one, by {@link withOrigins}. */
  readonly sha256: string;
}

/** A file of a built page. */
export interface SiteFile extends StoredForm {
  readonly headers: Readonly<Record<string, string>>;
  /** The same content in content codings. */
  readonly encoded: ReadonlyMap<EncodingName, StoredForm>;
}

/** A built page in memory, by paths relative to its folder: only listed files are served, not all of the folder. */
export type Site = ReadonlyMap<string, SiteFile>;

/** @throws StartError if the file is missing, or is of another build than the list */
function readForm(directory: string, { path, sha256 }: { readonly path: string; readonly sha256: string }): StoredForm {
  const file = join(directory, path);
  const bytes = existsSync(file) ? readFileSync(file) : Buffer.alloc(0);
  if (hashOf(bytes) !== sha256)
    throw new StartError(`${file} is not the file listed in site.json: build the page again`);
  return { bytes, sha256 };
}

/**
 * Reads a built page: `site.json` with paths and response headers, and every file that it lists. A service answers with
 * what it started with, whatever is built, moved or deleted later; all forms of the pages take 60 MB.
 * @returns null when the page was not built
 * @throws StartError if a file is missing, or is of another build than the list; ZodError if the list is invalid
 */
export function readSite(directory: string): Site | null {
  const list = join(directory, 'site.json');
  if (!existsSync(list)) return null;
  const { files } = siteSchema.parse(JSON.parse(readFileSync(list, 'utf8')));
  return new Map(
    files.map(({ headers, encodings, ...stored }) => {
      const encoded = new Map(encodings.map(({ encoding, ...form }) => [encoding, readForm(directory, form)]));
      return [stored.path, { ...readForm(directory, stored), headers, encoded }];
    }),
  );
}

const POLICY = 'Content-Security-Policy';

/**
 * The page's files, with these origins in a directive of the policy of the page itself: it may then connect to them, or
 * frame them. The page's workers may not.
 */
export function withOrigins(site: Site, directive: 'connect-src' | 'frame-src', origins: readonly string[]): Site {
  const page = site.get('index.html');
  const policy = page?.headers[POLICY];
  if (origins.length === 0 || page === undefined || policy === undefined) return site;
  const added = origins.join(' ');
  const widened = policy
    .split(';')
    .map((part) => (part.trimStart().startsWith(`${directive} `) ? `${part} ${added}` : part))
    .join(';');
  // Browsers ask by this hash whether they have the page with its present headers.
  const rehash = <Form extends StoredForm>(form: Form) => ({ ...form, sha256: hashOf(`${form.sha256} ${added}`) });
  const encoded = new Map([...page.encoded].map(([name, form]) => [name, rehash(form)]));
  return new Map(site).set('index.html', { ...rehash(page), encoded, headers: { ...page.headers, [POLICY]: widened } });
}
