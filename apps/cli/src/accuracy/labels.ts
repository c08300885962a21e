import { readFile } from 'node:fs/promises';
import type { Point } from '@svc/face-engine';
import { parse } from 'csv-parse/sync';

/** What is known of a labelled photo. */
export interface LabelledPhoto {
  readonly file: string;
  /** Label of the one person in it; null where it shows several, or nobody. */
  readonly person: string | null;
  /** One a face, in pixels of the stored picture. */
  readonly noses: readonly Point[];
}

/** Reads `file,person,faces,noses`, noses as `x y;x y`. */
export async function readLabels(csv: string): Promise<LabelledPhoto[]> {
  const rows: Record<string, string>[] = parse(await readFile(csv, 'utf8'), { columns: true });
  return rows.map(({ file = '', person = '', noses = '' }) => ({
    file,
    person: person === '' ? null : person,
    noses: noses.split(';').flatMap((text) => {
      const [x, y] = text.split(' ').map(Number);
      return text !== '' && x !== undefined && y !== undefined ? [{ x, y }] : [];
    }),
  }));
}
