import '../people/people.css';
import { FolderX } from 'lucide';
import { useEffect, useReducer, useState, useSyncExternalStore } from 'react';
import { useRead, useSession } from '../../api/hooks.ts';
import { Empty, Section } from '../../components/blocks.tsx';
import { Button } from '../../components/controls.tsx';
import { Notice, Unread } from '../../components/status.tsx';
import { listTab } from '../../components/tabbed-page.tsx';
import { format, say } from '../../text/index.ts';
import { activeImport, beginImport, closeImport, watchImports } from './active-import.ts';
import { ChooseFolder, type Chosen } from './choose-folder.tsx';
import { isSettled } from './import-machine.ts';
import { ImportProgress } from './import-progress.tsx';
import { discardOverdue, readImport, type StoredImport } from './import-store.ts';
import { PlanView } from './plan-view.tsx';

/** How long an unfinished import of an ongoing list is kept. */
const KEPT_MS = 30 * 86_400_000;

/** A list's unfinished import that was kept by this browser: undefined while that is read. @param again changes to read again */
function useKept(listId: string, again: string): StoredImport | null | undefined {
  const { account } = useSession();
  const [read, setRead] = useState<{ readonly again: string; readonly kept: StoredImport | null }>();
  useEffect(() => {
    let isWanted = true;
    void discardOverdue(Date.now())
      .then(() => readImport(listId, account.accountId))
      // A browser that keeps nothing has nothing to resume; beginning tells it.
      .catch(() => null)
      .then((found) => {
        if (isWanted) setRead({ again, kept: found });
      });
    return () => {
      isWanted = false;
    };
  }, [listId, account.accountId, again]);
  // What was read before is no longer so.
  return read?.again === again ? read.kept : undefined;
}

export const ImportTab = listTab(FolderX, 'people.no-list', 'people.no-list-help', Import);

function Import({ listId }: { readonly listId: string }) {
  const list = useRead('getList', { params: { listId } });
  const running = useSyncExternalStore(watchImports, () => activeImport(listId));
  const [closed, noteClosed] = useReducer((times: number) => times + 1, 0);
  const kept = useKept(listId, `${closed} ${running === null}`);
  const close = () => void closeImport(listId).then(noteClosed);
  if (running !== null) return <ImportProgress active={running} onClose={close} />;
  if (list.error !== null || list.data === undefined || kept === undefined) return <Unread query={list} />;
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
      kept={kept}
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
  const { account } = useSession();
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const [trouble, setTrouble] = useState<'other-tab' | 'storage' | null>(null);

  async function begin({ plan, folder }: Chosen): Promise<void> {
    const photos = { ready: plan.ready, files: folder.files, folder: folder.handle };
    try {
      const isOurs = await beginImport({ ...photos, listId, accountId: account.accountId, discardAtMs, stored: kept });
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
