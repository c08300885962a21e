import '../people/people.css';
import { useQuery } from '@tanstack/react-query';
import { ArrowLeft, FolderX } from 'lucide';
import { useMemo, useState, useSyncExternalStore } from 'react';
import { useCan, useRead, useSession } from '../../api/hooks.ts';
import { Empty, Section } from '../../components/blocks.tsx';
import { Button } from '../../components/controls.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Notice, Unread } from '../../components/status.tsx';
import { listTab } from '../../components/tabbed-page.tsx';
import { format, say } from '../../text/index.ts';
import { activeImport, beginImport, closeImport, watchImports } from './active-import.ts';
import { ChooseFolder, type Chosen } from './choose-folder.tsx';
import { ImportProgress } from './import-progress.tsx';
import { isSettled } from './import-run.ts';
import { discardOverdue, readImport, type StoredImport } from './import-store.ts';
import type { LeftOutRow } from './plan-import.ts';

/** How long an unfinished import of an ongoing list is kept. */
const KEPT_MS = 30 * 86_400_000;

export const ImportTab = listTab(FolderX, 'app.no-list', 'guests.no-list-help', Import);

function Import({ listId }: { readonly listId: string }) {
  const list = useRead('getList', { params: { listId } });
  const { user } = useSession();
  const running = useSyncExternalStore(watchImports, () => activeImport(listId));
  // A list's unfinished import that was kept by this browser. One that keeps nothing has nothing to resume.
  const kept = useQuery({
    queryKey: ['kept-import', listId, running === null],
    queryFn: () =>
      discardOverdue(Date.now())
        .then(() => readImport(listId, user.userId))
        .catch(() => null),
    ...{ gcTime: 0, staleTime: 0, refetchOnWindowFocus: false, networkMode: 'always' },
  });
  const close = () => void closeImport(listId).then(() => kept.refetch());
  if (running !== null) return <ImportProgress active={running} onClose={close} />;
  if (list.error !== null || list.data === undefined || kept.data === undefined || kept.isFetching)
    return <Unread query={list} />;
  const { enrollmentClosed, endedAt, photoSource, consentVersion, retentionDeadline } = list.data;
  if (photoSource === 'camera') {
    return <Empty title={say('import.camera')} text={say('import.camera-help')} />;
  }
  if (enrollmentClosed || endedAt !== null) {
    return <Empty title={say('import.closed')} text={say('import.closed-help')} />;
  }
  return (
    <Prepare
      listId={listId}
      kept={kept.data}
      onForget={close}
      consentVersion={consentVersion}
      discardAtMs={retentionDeadline === null ? Date.now() + KEPT_MS : Date.parse(retentionDeadline)}
    />
  );
}

interface PrepareProps {
  readonly listId: string;
  readonly kept: StoredImport | null;
  readonly onForget: () => void;
  readonly consentVersion: string;
  readonly discardAtMs: number;
}

function Prepare({ listId, kept, onForget, consentVersion, discardAtMs }: PrepareProps) {
  const { user } = useSession();
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const [trouble, setTrouble] = useState<'other-tab' | 'storage' | null>(null);

  async function begin({ plan, folder }: Chosen): Promise<void> {
    const photos = { ready: plan.ready, files: folder.files, folder: folder.handle };
    try {
      const isOurs = await beginImport({ ...photos, listId, userId: user.userId, discardAtMs, stored: kept });
      if (!isOurs) setTrouble('other-tab');
    } catch {
      setTrouble('storage');
    }
  }

  return (
    <div className="svcd-stack">
      {kept !== null && <Interrupted kept={kept} onForget={onForget} />}
      {trouble !== null && <Notice tone="bad" title={say(`import.trouble.${trouble}`)} />}
      {chosen === null ? (
        <ChooseFolder consentVersion={consentVersion} kept={kept?.kept ?? null} onChosen={setChosen} />
      ) : (
        <PlanView chosen={chosen} kept={kept} onBack={() => setChosen(null)} onBegin={() => begin(chosen)} />
      )}
    </div>
  );
}

interface InterruptedProps {
  readonly kept: StoredImport;
  readonly onForget: () => void;
}

function Interrupted({ kept: { kept, rows }, onForget }: InterruptedProps) {
  const settled = rows.filter(isSettled).length;
  const startedAt = new Date(kept.startedAtMs).toISOString();
  const isSettledWhole = settled === rows.length;
  const refused = rows.filter(({ state }) => state === 'refused').length;
  return (
    <Section
      title={say(isSettledWhole ? 'import.refused-left' : 'import.interrupted')}
      actions={<Button kind="quiet" onPress={onForget} text={say('import.forget')} />}
    >
      <p>
        {isSettledWhole
          ? say('import.refused-left-help', { count: refused })
          : say('import.interrupted-help', { settled, count: rows.length, at: format.dateTime(startedAt) })}
      </p>
      <p className="svcd-muted">{say('import.interrupted-kept')}</p>
    </Section>
  );
}

/** Photos without consent that are named; more are counted alone. */
const NAMED_PHOTOS = 20;

const columns: readonly Column<LeftOutRow>[] = [
  { header: 'people.person', cell: ({ personId }) => personId || '—' },
  {
    header: 'import.why',
    width: 'minmax(12rem, 3fr)',
    cell: ({ faults }) => (
      <ul className="svcd-plain svcd-faults">
        {faults.map((fault) => (
          <li key={fault}>{say(`import.fault.${fault}`)}</li>
        ))}
      </ul>
    ),
  },
  { header: 'app.line', width: '5rem', align: 'end', sortBy: ({ line }) => line },
];

interface PlanViewProps {
  readonly chosen: Chosen;
  /** The interrupted import that this folder goes on with. */
  readonly kept: StoredImport | null;
  readonly onBack: () => void;
  readonly onBegin: () => Promise<void>;
}

/** What an import would do and whom it leaves out, before anything is sent. */
export function PlanView({ chosen: { plan, folder }, kept, onBack, onBegin }: PlanViewProps) {
  const can = useCan();
  const [isBusy, setBusy] = useState(false);
  const usage = useRead('getUsage', undefined, { enabled: can('account:read') });
  const count = useMemo(() => {
    if (kept === null) return plan.ready.length;
    const left = new Set(kept.kept.personIds.filter((_, row) => !kept.rows[row] || !isSettled(kept.rows[row])));
    return plan.ready.filter(({ personId }) => left.has(personId)).length;
  }, [kept, plan]);
  const { peopleLimit = null, peopleBilled = 0 } = usage.data ?? {};
  const room = peopleLimit === null ? Number.POSITIVE_INFINITY : Math.max(0, peopleLimit - peopleBilled);

  const begin = () => {
    setBusy(true);
    void onBegin().finally(() => setBusy(false));
  };

  return (
    <>
      <Section
        title={say('import.checked', { name: folder.name })}
        lead={say('import.checked-lead')}
        actions={<Button kind="quiet" icon={ArrowLeft} onPress={onBack} text={say('import.other-folder')} />}
      >
        <p>{say('import.ready', { count })}</p>
        {kept !== null && count < plan.ready.length && <p className="svcd-muted">{say('import.resume-rest')}</p>}
        {room < count && <Notice tone="warning" title={say('import.room', { room })} text={say('import.room-help')} />}
        <p className="svcd-muted">{say('import.statement')}</p>
        <Button
          kind="primary"
          isBusy={isBusy}
          isDisabled={count === 0 && kept === null}
          onPress={begin}
          text={say(kept === null ? 'import.begin' : 'import.resume', { count })}
        />
      </Section>
      {plan.leftOut.length > 0 && (
        <Section title={say('import.left-out', { count: plan.leftOut.length })} lead={say('import.left-out-help')}>
          <DataTable
            label={say('import.left-out-table')}
            columns={columns}
            rows={plan.leftOut}
            rowKey={({ line }) => String(line)}
          />
        </Section>
      )}
      {plan.withoutConsent.length > 0 && (
        <Section
          title={say('import.without-consent', { count: plan.withoutConsent.length })}
          lead={say('import.without-consent-help')}
        >
          <ul className="svcd-bullets">
            {plan.withoutConsent.slice(0, NAMED_PHOTOS).map((path) => (
              <li key={path}>{path}</li>
            ))}
            {plan.withoutConsent.length > NAMED_PHOTOS && (
              <li>{say('import.more', { count: format.number(plan.withoutConsent.length - NAMED_PHOTOS) })}</li>
            )}
          </ul>
        </Section>
      )}
    </>
  );
}
