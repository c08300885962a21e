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

/** One file of a built page. */
export interface SiteFile {
  /** Absolute. */
  readonly file: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A page as its build left it: what is not named is not served, whatever lies in the folder. */
export type Site = ReadonlyMap<string, SiteFile>;

/**
 * Reads `site.json` of a built page: path → file and the headers that the page wants it served with.
 * @returns null where no page was built. @throws Error where there is something else
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
