import { ArrowLeft } from 'lucide';
import { useMemo, useState } from 'react';
import { useCan, useRead } from '../../api/hooks.ts';
import { Section } from '../../components/blocks.tsx';
import { Button } from '../../components/controls.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Notice } from '../../components/status.tsx';
import { format, say } from '../../text/index.ts';
import type { Chosen } from './choose-folder.tsx';
import { isSettled } from './import-machine.ts';
import type { StoredImport } from './import-store.ts';
import type { LeftOutRow } from './plan-import.ts';

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
        <div className="svcd-row">
          <Button
            kind="primary"
            isBusy={isBusy}
            isDisabled={count === 0 && kept === null}
            onPress={begin}
            text={say(kept === null ? 'import.begin' : 'import.resume', { count })}
          />
        </div>
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
