import type { ConsentRecordResource } from '@svc/protocol';
import { useSearch } from '@tanstack/react-router';
import { ClipboardList, Download } from 'lucide';
import { useState } from 'react';
import { api, fetchLedger } from '../../api/client.ts';
import { useCan, usePages, useRead, useWork, type Work } from '../../api/hooks.ts';
import { Empty, inColumns, PageHeader, Section } from '../../components/blocks.tsx';
import { Button } from '../../components/controls.tsx';
import { type Column, DataTable, moments } from '../../components/data-table.tsx';
import { SelectField } from '../../components/field.tsx';
import { csvFile, csvLines, saveAs } from '../../components/files.ts';
import { Badge, Notice, Problem } from '../../components/status.tsx';
import { say } from '../../text/index.ts';
import { shortId } from './audit-words.ts';

const ALL = 'all';

export function ConsentsPage() {
  const can = useCan();
  const { list: asked = ALL } = useSearch({ strict: false }) as { readonly list?: string };
  const [chosen, setChosen] = useState(asked);
  const listId = chosen === ALL ? undefined : chosen;
  const lists = useRead('listLists', { query: { limit: 200 } }, { enabled: can('lists:read') });
  const nameOf = (id: string) => lists.data?.items.find((list) => list.listId === id)?.name ?? null;
  const pages = usePages('listConsents', { query: { listId, limit: 100 } });
  const { state, start, cancel } = useConsentExport(listId);
  const isRunning = state.name === 'running';
  const columns: readonly Column<ConsentRecordResource>[] = [
    { header: 'people.person', width: 'minmax(12rem, 1.6fr)', cell: ({ personId }) => personId ?? '–' },
    {
      header: 'app.what',
      width: 'minmax(7rem, 0.7fr)',
      cell: ({ kind }) => <Badge tone={kind === 'given' ? 'good' : 'neutral'}>{say(`consents.kind.${kind}`)}</Badge>,
    },
    moments('app.when', 'minmax(8.5rem, 1fr)', ({ recordedAt }) => recordedAt),
    { header: 'consents.wording', width: 'minmax(7rem, 1fr)', cell: (record) => <Wording record={record} /> },
    {
      header: 'app.list',
      width: 'minmax(7rem, 1fr)',
      cell: (record) => nameOf(record.listId) ?? <span className="svcd-code">{shortId(record.listId)}</span>,
    },
  ];
  return (
    <>
      <PageHeader title={say('consents.title')} lead={say('consents.lead')} />
      <div className="svcd-stack">
        <div className="svcd-row svcd-filters">
          <SelectField
            label={say('app.list')}
            value={chosen}
            isDisabled={isRunning}
            onChange={setChosen}
            options={[
              { value: ALL, label: say('app.all-lists') },
              ...(lists.data?.items ?? []).map((list) => ({ value: list.listId, label: list.name })),
            ]}
          />
        </div>
        <Section title={say('consents.export')} lead={say('consents.export-help')}>
          <div className="svcd-columns" style={inColumns('16rem')}>
            {(['csv', 'ndjson'] as const).map((kind) => (
              <div key={kind}>
                <Button
                  icon={Download}
                  isDisabled={isRunning}
                  onPress={() => start(kind)}
                  text={say(`consents.${kind}`)}
                />
                <p className="svcd-help">{say(`consents.${kind}-help`)}</p>
              </div>
            ))}
          </div>
          <ExportStatus state={state} onCancel={cancel} />
        </Section>
        <DataTable
          label={say('consents.title')}
          columns={columns}
          pages={pages}
          rowKey={({ consentId }) => consentId}
          empty={<Empty title={say('consents.none')} icon={ClipboardList} text={say('consents.none-help')} />}
        />
      </div>
    </>
  );
}

function Wording({ record }: { readonly record: ConsentRecordResource }) {
  if (record.consentVersion === null) return <>–</>;
  return (
    <span className="svcd-two-lines">
      <span>{[record.consentVersion, record.wordingLanguage].filter((part) => part !== null).join(' · ')}</span>
      {record.shownBy !== null && <span className="svcd-small">{say(`consents.shown-by.${record.shownBy}`)}</span>}
    </span>
  );
}

function ExportStatus({ state, onCancel }: { readonly state: Work<void>; readonly onCancel: () => void }) {
  if (state.name === 'failed') {
    return state.error instanceof CutExportError ? (
      <Notice tone="bad" isAlert title={say('consents.cut')} text={say('consents.cut-help')} />
    ) : (
      <Problem error={state.error} />
    );
  }
  return (
    <div role="status">
      {state.name === 'running' && (
        <div className="svcd-row">
          <span className="svcd-spinner" aria-hidden="true" />
          {say('consents.running', { records: state.done })}
          <Button size="small" onPress={onCancel} text={say('app.cancel')} />
        </div>
      )}
      {state.name === 'done' && <Notice tone="good" text={say('consents.done')} />}
    </div>
  );
}

type ExportFormat = 'csv' | 'ndjson';

function useConsentExport(listId: string | undefined) {
  return useWork<void, ExportFormat>(async (format, signal, onProgress) => {
    const blob =
      format === 'csv'
        ? await csvOf(
            (cursor) => api.call('listConsents', { query: { listId, cursor, limit: 200 }, signal }),
            onProgress,
          )
        : await ledgerOf(await fetchLedger(listId, signal), onProgress);
    signal.throwIfAborted();
    saveAs(blob, `consents-${listId ?? 'all'}-${new Date().toISOString().slice(0, 10)}.${format}`);
  });
}

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
