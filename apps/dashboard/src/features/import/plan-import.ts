import type { ConsentRow, FiledConsent, RowFault } from './consent-file.ts';
import { type FolderFile, indexPhotos, isNoPhoto, photoFault } from './photo-files.ts';

/** A person who can be enrolled: consent on file, and one photo. */
export interface PlannedRow {
  readonly personId: string;
  readonly consent: FiledConsent;
  readonly path: string;
}

export interface LeftOutRow {
  readonly line: number;
  readonly personId: string;
  readonly faults: readonly RowFault[];
}

/** What an import would do; nothing of it has been sent. */
export interface ImportPlan {
  readonly ready: readonly PlannedRow[];
  readonly leftOut: readonly LeftOutRow[];
  /** Photos that no row names, by path: there is no consent for them. */
  readonly withoutConsent: readonly string[];
}

/** Joins the rows of a consent file with the photos of a folder. Whatever has a fault is left out, and named. */
export function planImport(rows: readonly ConsentRow[], files: readonly FolderFile[]): ImportPlan {
  const photos = files.filter(({ path }) => !isNoPhoto(path));
  const index = indexPhotos(photos);
  const named = new Set<FolderFile>();
  const ready: PlannedRow[] = [];
  const leftOut: LeftOutRow[] = [];
  for (const { line, personId, consent, faults } of rows) {
    const found = personId === '' ? [] : index.of(personId);
    for (const file of found) named.add(file);
    const [photo] = found;
    const count = found.length > 1 ? 'photo-several' : null;
    const fault = photo === undefined ? 'photo-missing' : (count ?? photoFault(photo));
    if (fault === null && photo !== undefined && consent !== null) ready.push({ personId, consent, path: photo.path });
    else leftOut.push({ line, personId, faults: fault === null ? faults : [...faults, fault] });
  }
  return { ready, leftOut, withoutConsent: photos.filter((file) => !named.has(file)).map(({ path }) => path) };
}
