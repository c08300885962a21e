import type { ConsentRecordResource } from '@svc/protocol';
import { csvFile, csvLines } from '../../components/files.ts';

export const csvColumns = [
  'recordedAt',
  'kind',
  'personId',
  'listId',
  'consentVersion',
  'givenAt',
  'explicitBiometricConsent',
  'writtenRelease',
  'under16',
  'guardianConsent',
  'shownBy',
  'wordingLanguage',
  'wordingSha256',
  'faceDeleteAfter',
  'consentId',
  'seq',
  'entryHash',
] as const satisfies readonly (keyof ConsentRecordResource)[];

export interface ConsentPage {
  readonly items: readonly ConsentRecordResource[];
  readonly nextCursor: string | null;
}

export async function csvOf(
  read: (cursor: string | undefined) => Promise<ConsentPage>,
  onProgress: (records: number) => void,
): Promise<Blob> {
  const parts = [csvLines([csvColumns])];
  let count = 0;
  let cursor: string | undefined;
  do {
    const page = await read(cursor);
    parts.push(csvLines(page.items.map((record) => csvColumns.map((name) => record[name]))));
    count += page.items.length;
    onProgress(count);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return csvFile(parts);
}

/** An export that ended before its last line. */
export class CutExportError extends Error {
  override readonly name = 'CutExportError';
}

/**
 * A ledger as it came, with every byte that was hashed.
 * @throws CutExportError without the last line, which is of the type `end`
 */
export async function ledgerOf(body: ReadableStream<Uint8Array>, onProgress: (records: number) => void): Promise<Blob> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let lines = 0;
  const reader = body.getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    chunks.push(new Uint8Array(read.value));
    for (const byte of read.value) if (byte === 10) lines += 1;
    onProgress(lines);
  }
  const blob = new Blob(chunks, { type: 'application/x-ndjson' });
  const tail = await blob.slice(-400).text();
  const last = tail.trimEnd().split('\n').at(-1) ?? '';
  if (!tail.endsWith('\n') || !last.includes('"type":"end"')) throw new CutExportError();
  return blob;
}
