import { imageTypeOf, MAX_ENROLMENT_BODY_BYTES } from '@svc/protocol';
import type { ConsentRow, FiledConsent, RowFault } from './consent-file.ts';

export type PhotoKind = 'jpeg' | 'png' | 'heic' | 'other';

/** A file of the chosen folder, as far as it is looked at before anything is sent. */
export interface FolderFile {
  /** Path below the folder, with `/`. */
  readonly path: string;
  readonly size: number;
  readonly kind: PhotoKind;
}

/** Leaves room for the other members of the request; base64 takes four characters for three bytes. */
export const MAX_PHOTO_BYTES = Math.floor(((MAX_ENROLMENT_BODY_BYTES - 8_192) * 3) / 4);

/** The kind of a file by its first bytes: names lie. */
export function kindOf(bytes: Uint8Array): PhotoKind {
  const type = imageTypeOf(bytes);
  if (type === 'image/jpeg') return 'jpeg';
  if (type === 'image/png') return 'png';
  return type === 'image/heic' || type === 'image/heif' || type === 'image/avif' ? 'heic' : 'other';
}

const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1);

/** Files that systems put into folders, and the consent file itself. */
export function isNoPhoto(path: string): boolean {
  const name = nameOf(path).toLowerCase();
  return (
    name.startsWith('.') || name === 'thumbs.db' || name === 'desktop.ini' || /\.(csv|txt|xlsx?|ods|pdf)$/.test(name)
  );
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** What a file may be called for a person: its name without the extension, also percent-encoded. */
function namesOf(path: string): readonly string[] {
  const stem = nameOf(path).replace(/\.[^.]*$/, '');
  // Some systems store accented letters in two characters.
  return [...new Set([stem, decoded(stem)].flatMap((name) => [name, name.normalize('NFC')]))];
}

/** The files that are named by a personId: exactly, else by its canonical form. */
function indexPhotos(files: readonly FolderFile[]): (personId: string) => readonly FolderFile[] {
  const byName = new Map<string, FolderFile[]>();
  for (const file of files) {
    for (const name of namesOf(file.path)) {
      byName.set(name, [...(byName.get(name) ?? []), file]);
    }
  }
  return (personId) => byName.get(personId) ?? byName.get(personId.normalize('NFC')) ?? [];
}

/** What speaks against sending a file as a photo; null for nothing that can be seen from here. */
function photoFault({ kind, size }: Pick<FolderFile, 'kind' | 'size'>): RowFault | null {
  if (size === 0) return 'photo-empty';
  if (kind === 'heic') return 'photo-heic';
  if (kind === 'other') return 'photo-kind';
  return size > MAX_PHOTO_BYTES ? 'photo-large' : null;
}

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
  const photosOf = indexPhotos(photos);
  const named = new Set<FolderFile>();
  const ready: PlannedRow[] = [];
  const leftOut: LeftOutRow[] = [];
  for (const { line, personId, consent, faults } of rows) {
    const found = personId === '' ? [] : photosOf(personId);
    for (const file of found) named.add(file);
    const [photo] = found;
    const count = found.length > 1 ? 'photo-several' : null;
    const fault = photo === undefined ? 'photo-missing' : (count ?? photoFault(photo));
    if (fault === null && photo !== undefined && consent !== null) ready.push({ personId, consent, path: photo.path });
    else leftOut.push({ line, personId, faults: fault === null ? faults : [...faults, fault] });
  }
  return { ready, leftOut, withoutConsent: photos.filter((file) => !named.has(file)).map(({ path }) => path) };
}
