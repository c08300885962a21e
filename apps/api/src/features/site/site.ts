import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const siteSchema = z.object({
  format: z.literal(1),
  files: z.array(
    z.object({
      path: z.string().regex(/^[\w-][\w.-]*(\/[\w-][\w.-]*)*$/),
      sha256: z.string(),
      headers: z.record(z.string(), z.string()),
    }),
  ),
});

/** A file of a built page. */
export interface SiteFile {
  /** Absolute path. */
  readonly file: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A built page: only listed files are served, not all files of the folder. */
export type Site = ReadonlyMap<string, SiteFile>;

/**
 * Reads a built page's `site.json`: paths with files and response headers.
 * @returns null when the page was not built
 * @throws Error when the file is invalid
 */
export function readSite(directory: string): Site | null {
  let text: string;
  try {
    text = readFileSync(join(directory, 'site.json'), 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
  const { files } = siteSchema.parse(JSON.parse(text));
  return new Map(files.map(({ path, headers }) => [path, { file: join(directory, path), headers }]));
}
