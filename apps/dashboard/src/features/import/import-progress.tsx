import { Download, Pause, Play } from 'lucide';
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { FileTrigger } from 'react-aria-components/FileTrigger';
import { ApiError, type ApiErrorCode, type Message, messageOf } from '../../api/errors.ts';
import { Facts, Section } from '../../components/blocks.tsx';
import { Button } from '../../components/controls.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { csvFile, csvLines, saveAs } from '../../components/files.ts';
import { Notice, Progress } from '../../components/status.tsx';
import { format, plain, say } from '../../text/index.ts';
import type { ActiveImport } from './active-import.ts';
import { type ImportState, isSettled, type RowState } from './import-run.ts';
import { kindOf } from './plan-import.ts';

interface Refused {
  readonly row: number;
  readonly personId: string;
  readonly code: string;
}

function countsOf({ rows }: ImportState) {
  const count = (state: RowState['state']) => rows.filter((row) => row.state === state).length;
  return { done: count('done'), refused: count('refused'), settled: rows.filter(isSettled).length };
}

export function ImportProgress({ active, onClose }: { readonly active: ActiveImport; readonly onClose: () => void }) {
  const state = useSyncExternalStore(active.subscribe, active.state);
  const counts = useMemo(() => countsOf(state), [state]);
  const { rows, phase } = state;
  const { personIds } = active.kept;
  const refused = useMemo(
    () =>
      rows.flatMap((row, at) =>
        row.state === 'refused' ? [{ row: at, personId: personIds[at] ?? '', code: row.code }] : [],
      ),
    [rows, personIds],
  );
  const columns = useMemo(() => columnsOf(active), [active]);
  const isOn = phase.name === 'running' || phase.name === 'waiting';
  const isFinished = phase.name === 'finished';

  const saveReport = () => {
    const outcome = (row: RowState): readonly string[] => {
      if (row.state === 'done') return ['enrolled', '', row.deleteAfter ?? ''];
      return row.state === 'refused' ? ['refused', plain(reasonOf(row.code).title), ''] : ['open', '', ''];
    };
    const lines = rows.map((row, at) => [personIds[at] ?? '', active.photoOf(at)?.name ?? '', ...outcome(row)]);
    const head = ['personId', 'photo', 'outcome', 'reason', 'deleteAfter'];
    saveAs(csvFile([csvLines([head, ...lines])]), 'import-report.csv');
  };

  return (
    <div className="svcd-stack">
      <Section
        title={say(isFinished ? 'import.finished' : 'import.running')}
        lead={say(isFinished ? 'import.finished-lead' : 'import.running-lead')}
        actions={
          <>
            <Button icon={Download} onPress={saveReport} text={say('import.report')} />
            {isOn && <Button icon={Pause} onPress={() => active.pause()} text={say('import.pause')} />}
            {(phase.name === 'paused' || phase.name === 'stopped' || phase.name === 'waiting') && (
              <Button
                kind="primary"
                icon={Play}
                onPress={() => active.start()}
                text={say(phase.name === 'waiting' ? 'import.try-now' : 'app.go-on')}
              />
            )}
            {isFinished && <Button kind="primary" onPress={onClose} text={say('app.done')} />}
          </>
        }
      >
        <Progress
          label={say('import.progress', { settled: counts.settled, count: rows.length })}
          value={rows.length === 0 ? 1 : counts.settled / rows.length}
        />
        <Facts
          facts={{
            'guests.state.enrolled': format.number(counts.done),
            'import.refused': format.number(counts.refused),
            'import.open': format.number(rows.length - counts.settled),
          }}
        />
        <div role="status" className="svcd-phase">
          <PhaseNotice state={state} />
        </div>
      </Section>
      {refused.length > 0 && (
        <Section title={say('import.refused-title', { count: refused.length })} lead={say('import.refused-lead')}>
          <DataTable
            label={say('import.refused-table')}
            columns={columns}
            rows={refused}
            rowKey={({ row }) => String(row)}
          />
        </Section>
      )}
    </div>
  );
}

function PhaseNotice({ state: { phase } }: { readonly state: ImportState }) {
  if (phase.name === 'paused') return <Notice title={say('import.paused')} />;
  if (phase.name === 'waiting') {
    return (
      <Notice
        tone="warning"
        title={say('import.waiting', { reason: reasonOf(phase.reason).title })}
        text={say('import.waiting-help')}
      />
    );
  }
  if (phase.name !== 'stopped') return null;
  const { title, help } = reasonOf(phase.reason);
  return <Notice tone="bad" title={say('import.stopped', { reason: title })} text={help} />;
}

const columnsOf = (active: ActiveImport): readonly Column<Refused>[] => [
  { header: 'import.photo', width: '5rem', cell: ({ row }) => <Photo file={active.photoOf(row)} /> },
  { header: 'people.person', isTitle: true, cell: ({ personId }) => personId },
  {
    header: 'import.why',
    width: 'minmax(12rem, 3fr)',
    cell: ({ code }) => (
      <div className="svcd-reason">
        <p>{reasonOf(code).title}</p>
        <p className="svcd-small">{reasonOf(code).help}</p>
      </div>
    ),
  },
  {
    header: 'import.retry-column',
    width: 'minmax(9rem, 1fr)',
    cell: (refused) => <Retry active={active} refused={refused} />,
  },
];

/** A photo from the organiser's own disk; it is not kept anywhere. */
function Photo({ file }: { readonly file: File | null }) {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    if (file === null) return;
    const made = URL.createObjectURL(file);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [file]);
  if (url === null || file === null) return <span className="svcd-thumb" aria-hidden="true" />;
  return <img className="svcd-thumb" src={url} alt={say('import.photo-of', { name: file.name })} loading="lazy" />;
}

function Retry({ active, refused: { row, personId } }: { readonly active: ActiveImport; readonly refused: Refused }) {
  const [isWrong, setWrong] = useState(false);
  if (active.photoOf(row) === null) return null;
  const take = async (photo: File | undefined) => {
    if (photo === undefined) return;
    const kind = kindOf(new Uint8Array(await photo.slice(0, 32).arrayBuffer()));
    if (kind === 'jpeg' || kind === 'png') active.retryWith(row, photo);
    else setWrong(true);
  };
  return (
    <div>
      <FileTrigger acceptedFileTypes={['image/jpeg', 'image/png']} onSelect={(files) => void take(files?.[0])}>
        <Button size="small" label={say('import.retry-label', { personId })} text={say('import.retry')} />
      </FileTrigger>
      {isWrong && <p className="svcd-error">{say('import.fault.photo-kind')}</p>}
    </div>
  );
}

/** Why somebody was refused, or the import does not go on, and what to do. */
function reasonOf(code: string): Message {
  const [title, help] = [`import.reason.${code}`, `import.reason.${code}.help`];
  if (say.has(title) && say.has(help)) return { title: say(title), help: say(help) };
  return messageOf(new ApiError(code as ApiErrorCode, { status: 0 }));
}
