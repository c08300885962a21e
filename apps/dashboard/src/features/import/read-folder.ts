import { IMAGE_TYPE_BYTES } from '@svc/protocol';
import Papa from 'papaparse';
import { decodeTable, plainCell } from '../../components/files.ts';
import { type FolderFile, isNoPhoto, kindOf } from './plan-import.ts';

/** A chosen folder, read once: what its files are, and the files themselves, which stay on this machine. */
export interface Folder {
  readonly name: string;
  readonly files: ReadonlyMap<string, File>;
  readonly photos: readonly FolderFile[];
  /** The consent file, where there is exactly one. */
  readonly table: File | null;
  readonly handle: FileSystemDirectoryHandle | null;
}

/** More than anybody has members, and few enough to look at each. */
export const MAX_FILES = 50_000;
const AT_ONCE = 16;

/** A folder, or its consent file, cannot be read. */
export class UnreadableFolder extends Error {
  constructor(readonly reason: 'many' | 'large' | 'quotes') {
    super(reason);
  }
}

async function describe(path: string, file: File): Promise<FolderFile> {
  // A file that cannot be read is of no known kind.
  const bytes = await file
    .slice(0, IMAGE_TYPE_BYTES)
    .arrayBuffer()
    .catch(() => new ArrayBuffer(0));
  return { path, size: file.size, kind: kindOf(new Uint8Array(bytes)) };
}

async function read(name: string, files: ReadonlyMap<string, File>, handle: FileSystemDirectoryHandle | null) {
  if (files.size > MAX_FILES) throw new UnreadableFolder('many');
  const left = [...files].filter(([path]) => !isNoPhoto(path));
  const photos: FolderFile[] = [];
  const work = async () => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) photos.push(await describe(...next));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  photos.sort((a, b) => (a.path < b.path ? -1 : 1));
  const tables = [...files].filter(([path]) => /\.csv$/i.test(path) && !/(^|\/)\./.test(path)).map(([, file]) => file);
  return { name, files, photos, table: tables.length === 1 ? (tables[0] ?? null) : null, handle };
}

export function readFiles(files: readonly File[]): Promise<Folder> {
  const name = files[0]?.webkitRelativePath.split('/')[0] ?? '';
  return read(name, new Map(files.map((file) => [file.webkitRelativePath || file.name, file])), null);
}

interface FileEntry {
  readonly kind: 'file';
  readonly name: string;
  getFile(): Promise<File>;
}

/** A folder that was dropped, as React Aria gives it. */
export interface DroppedFolder {
  readonly kind: 'directory';
  readonly name: string;
  getEntries(): AsyncIterable<FileEntry | DroppedFolder>;
}

/** Reads a dropped folder, or one that the browser gave access to. @throws DOMException when the access is gone */
export async function readFolder(folder: DroppedFolder | FileSystemDirectoryHandle): Promise<Folder> {
  const files = new Map<string, File>();
  const walk = async (each: typeof folder, path: string): Promise<void> => {
    const entries = 'getEntries' in each ? each.getEntries() : each.values();
    for await (const entry of entries as AsyncIterable<FileEntry | typeof folder>) {
      if (files.size > MAX_FILES) return;
      if (entry.kind === 'file') files.set(path + entry.name, await entry.getFile());
      else await walk(entry, `${path}${entry.name}/`);
    }
  };
  await walk(folder, `${folder.name}/`);
  return read(folder.name, files, 'getEntries' in folder ? null : folder);
}

type Granting = FileSystemDirectoryHandle & {
  requestPermission?: (o: { readonly mode: 'read' }) => Promise<PermissionState>;
};

/** Asks for a kept folder again; must follow a press. @returns null when it is refused or gone */
export async function reopen(handle: FileSystemDirectoryHandle): Promise<Folder | null> {
  try {
    const granted = await (handle as Granting).requestPermission?.({ mode: 'read' });
    return granted === undefined || granted === 'granted' ? await readFolder(handle) : null;
  } catch (error) {
    if (error instanceof UnreadableFolder) throw error;
    return null;
  }
}

interface Picking {
  showDirectoryPicker?: (o: { readonly id: string; readonly mode: 'read' }) => Promise<FileSystemDirectoryHandle>;
}

/** Whether the browser's own dialog gives a folder that can be kept. */
export const canPick = (): boolean => (window as Picking).showDirectoryPicker !== undefined;

/** @returns null when the person changed their mind */
export async function pickFolder(): Promise<Folder | null> {
  try {
    const handle = await (window as Picking).showDirectoryPicker?.({ id: 'svcd-import', mode: 'read' });
    return handle === undefined ? null : await readFolder(handle);
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return null;
    throw error;
  }
}

const MAX_TABLE_BYTES = 20 * 2 ** 20;

/**
 * The cells of a CSV file as the dashboard or a spreadsheet wrote it.
 * @returns isGuess: letters beyond ASCII may be others, which must not become ids
 * @throws UnreadableFolder, NoTable
 */
export async function readTable(file: Blob) {
  if (file.size > MAX_TABLE_BYTES) throw new UnreadableFolder('large');
  const { text, isGuess } = decodeTable(new Uint8Array(await file.arrayBuffer()));
  const { data, errors } = Papa.parse<string[]>(text);
  if (errors.some(({ type }) => type === 'Quotes')) throw new UnreadableFolder('quotes');
  return { cells: data.map((row) => row.map(plainCell)), isGuess };
}
