import type { ConsentRecordResource } from '@svc/protocol';
import { ClipboardList, Download } from 'lucide';
import { useState } from 'react';
import { usePages, useRead } from '../../api/hooks.ts';
import { useFormat, useSay } from '../../app/language.tsx';
import { useCan } from '../../app/session.tsx';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Empty } from '../../components/empty.tsx';
import { SelectField } from '../../components/field.tsx';
import { Notice } from '../../components/notice.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Problem } from '../../components/problem.tsx';
import { Section } from '../../components/section.tsx';
import { shortId } from './audit-words.ts';
import { CutExportError } from './consent-export.ts';
import { type ExportState, useConsentExport } from './use-consent-export.ts';

const ALL = 'all';

/** The consent ledger, and its export. */
export function ConsentsPage() {
  const say = useSay();
  const format = useFormat();
  const can = useCan();
  const [chosen, setChosen] = useState(ALL);
  const listId = chosen === ALL ? undefined : chosen;
  const lists = useRead('listLists', { query: { limit: 200 } }, { enabled: can('lists:read') });
  const nameOf = (id: string) => lists.data?.items.find((list) => list.listId === id)?.name ?? null;
  const pages = usePages('listConsents', { query: { listId, limit: 100 } });
  const { state, start, cancel } = useConsentExport(listId);
  const isRunning = state.name === 'running';
  const columns: readonly Column<ConsentRecordResource>[] = [
    {
      id: 'person',
      header: say('consents.person'),
      width: 'minmax(12rem, 1.6fr)',
      cell: ({ personId }) => personId ?? '–',
    },
    {
      id: 'kind',
      header: say('consents.kind'),
      width: 'minmax(7rem, 0.7fr)',
      cell: ({ kind }) => <Badge tone={kind === 'given' ? 'good' : 'neutral'}>{say(`consents.kind.${kind}`)}</Badge>,
    },
    {
      id: 'when',
      header: say('consents.when'),
      width: 'minmax(8.5rem, 1fr)',
      cell: ({ recordedAt }) => <time dateTime={recordedAt}>{format.dateTime(recordedAt)}</time>,
    },
    {
      id: 'wording',
      header: say('consents.wording'),
      width: 'minmax(7rem, 1fr)',
      cell: (record) => <Wording record={record} />,
    },
    {
      id: 'list',
      header: say('consents.list'),
      width: 'minmax(7rem, 1fr)',
      cell: (record) => nameOf(record.listId) ?? <span className="svcd-code">{shortId(record.listId)}</span>,
    },
  ];
  return (
    <>
      <PageHeader title={say('consents.title')} lead={say('consents.lead')} />
      <div className="svcd-stack">
        <div className="svcd-filters">
          <SelectField
            label={say('consents.list')}
            value={chosen}
            isDisabled={isRunning}
            onChange={setChosen}
            options={[
              { value: ALL, label: say('consents.all-lists') },
              ...(lists.data?.items ?? []).map((list) => ({ value: list.listId, label: list.name })),
            ]}
          />
        </div>
        <Section title={say('consents.export')} lead={say('consents.export-help')}>
          <div className="svcd-choices">
            <div>
              <Button icon={Download} isDisabled={isRunning} onPress={() => start('csv')}>
                {say('consents.csv')}
              </Button>
              <p className="svcd-help">{say('consents.csv-help')}</p>
            </div>
            <div>
              <Button icon={Download} isDisabled={isRunning} onPress={() => start('ndjson')}>
                {say('consents.ndjson')}
              </Button>
              <p className="svcd-help">{say('consents.ndjson-help')}</p>
            </div>
          </div>
          <ExportStatus state={state} onCancel={cancel} />
        </Section>
        <DataTable
          label={say('consents.title')}
          columns={columns}
          pages={pages}
          rowKey={({ consentId }) => consentId}
          empty={
            <Empty title={say('consents.none')} icon={ClipboardList}>
              {say('consents.none-help')}
            </Empty>
          }
        />
      </div>
    </>
  );
}

function Wording({ record }: { readonly record: ConsentRecordResource }) {
  const say = useSay();
  if (record.consentVersion === null) return <>–</>;
  return (
    <span className="svcd-two-lines">
      <span>{[record.consentVersion, record.wordingLanguage].filter((part) => part !== null).join(' · ')}</span>
      {record.shownBy !== null && <span className="svcd-small">{say(`consents.shown-by.${record.shownBy}`)}</span>}
    </span>
  );
}

function ExportStatus({ state, onCancel }: { readonly state: ExportState; readonly onCancel: () => void }) {
  const say = useSay();
  if (state.name === 'failed') {
    return state.error instanceof CutExportError ? (
      <div role="alert">
        <Notice tone="bad" title={say('consents.cut')}>
          {say('consents.cut-help')}
        </Notice>
      </div>
    ) : (
      <Problem error={state.error} />
    );
  }
  return (
    <div role="status">
      {state.name === 'running' && (
        <div className="svcd-waiting">
          <span className="svcd-spinner" aria-hidden="true" />
          {say('consents.running', { records: state.records })}
          <Button size="small" onPress={onCancel}>
            {say('app.cancel')}
          </Button>
        </div>
      )}
      {state.name === 'done' && <Notice tone="good">{say('consents.done')}</Notice>}
    </div>
  );
}
