import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

/** Content codings in which files are stored besides the plain one. */
const encodingNames = ['br', 'gzip'] as const;
type EncodingName = (typeof encodingNames)[number];

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
  /** Absolute path. */
  readonly file: string;
  /** Base64, of the stored bytes. */
  readonly sha256: string;
}

/** A file of a built page. */
export interface SiteFile extends StoredForm {
  readonly headers: Readonly<Record<string, string>>;
  /** The same content in content codings. */
  readonly encoded: ReadonlyMap<EncodingName, StoredForm>;
}

/** A built page: only listed files are served, not all files of the folder. */
export interface Site {
  /** @param path relative to the page's folder, with slashes */
  get(path: string): SiteFile | undefined;
}

type SiteFiles = ReadonlyMap<string, SiteFile>;

function readFiles(directory: string): SiteFiles {
  const { files } = siteSchema.parse(JSON.parse(readFileSync(join(directory, 'site.json'), 'utf8')));
  const formOf = (stored: { readonly path: string; readonly sha256: string }): StoredForm => ({
    file: join(directory, stored.path),
    sha256: stored.sha256,
  });
  return new Map(
    files.map(({ headers, encodings, ...stored }) => {
      const encoded = new Map(encodings.map(({ encoding, ...form }) => [encoding, formOf(form)]));
      return [stored.path, { ...formOf(stored), headers, encoded }];
    }),
  );
}

/**
 * Reads a built page's `site.json`: paths with files and response headers. It is read again when a later build has
 * replaced it, because its hashes tell browsers whether a file has changed.
 * @returns null when the page was not built
 * @throws Error when the file is invalid
 */
export function readSite(directory: string): Site | null {
  const changedAtMs = () => statSync(join(directory, 'site.json'), { throwIfNoEntry: false })?.mtimeMs;
  let readAtMs = changedAtMs();
  if (readAtMs === undefined) return null;
  let files = readFiles(directory);
  return {
    get(path) {
      const nowMs = changedAtMs();
      // A build that is under way has none, or not yet all of it: then the former one stays.
      if (nowMs !== undefined && nowMs !== readAtMs) {
        files = readFiles(directory);
        readAtMs = nowMs;
      }
      return files.get(path);
    },
  };
}

const POLICY = 'Content-Security-Policy';

/**
 * The page's files, with these origins in a directive of the policy of the page itself: it may then connect to them, or
 * frame them. The page's workers may not.
 */
export function withOrigins(site: Site, directive: 'connect-src' | 'frame-src', origins: readonly string[]): Site {
  if (origins.length === 0) return site;
  const added = origins.join(' ');
  const widen = (policy: string) =>
    policy
      .split(';')
      .map((part) => (part.trimStart().startsWith(`${directive} `) ? `${part} ${added}` : part))
      .join(';');
  // Browsers ask by this hash whether they have the page with its present headers.
  const hash = (sha256: string) => createHash('sha256').update(`${sha256} ${added}`).digest('base64');
  return {
    get(path) {
      const page = site.get(path);
      const policy = page?.headers[POLICY];
      if (path !== 'index.html' || page === undefined || policy === undefined) return page;
      const encoded = new Map([...page.encoded].map(([name, form]) => [name, { ...form, sha256: hash(form.sha256) }]));
      return { ...page, sha256: hash(page.sha256), encoded, headers: { ...page.headers, [POLICY]: widen(policy) } };
    },
  };
}
