import type { ConsentRecordResource, PersonResource } from '@svc/protocol';
import { ShieldCheck } from 'lucide';
import { useCan, useRead } from '../../api/hooks.ts';
import { Facts } from '../../components/blocks.tsx';
import { Button, Link } from '../../components/controls.tsx';
import { Dialog, useClose } from '../../components/form.tsx';
import { Notice, Problem, Unread } from '../../components/status.tsx';
import { format, say } from '../../text/index.ts';
import { usePersonRecords, useVerification, type Verified } from './ledger.ts';
import { LedgerRecords, StateBadge } from './ledger-records.tsx';

/** Other lists of a person that are looked at; more are counted alone. */
const OTHER_LISTS = 10;

export interface PersonDialogProps {
  readonly listId: string;
  readonly person: PersonResource;
  readonly onErase: () => void;
}

export function PersonDialog({ listId, person, onErase }: PersonDialogProps) {
  const can = useCan();
  const close = useClose();
  const erase = () => {
    close();
    onErase();
  };
  const list = useRead('getList', { params: { listId } });
  const isCurrent = list.data === undefined || list.data.modelId === person.modelId;
  return (
    <Dialog
      title={person.personId}
      size="wide"
      cancelLabel={say('app.close')}
      actions={can('people:write') && <Button kind="danger" onPress={erase} text={say('people.erase')} />}
    >
      <Facts
        facts={{
          'app.state': <StateBadge state={person.state} />,
          'guests.state.enrolled': format.dateTime(person.enrolledAt),
          'people.delete-after': `${format.dateTime(person.deleteAfter)} (${format.relative(person.deleteAfter)})`,
          'people.wording': person.consentVersion,
          'people.model': say(isCurrent ? 'people.model-current' : 'people.model-other'),
        }}
      />
      <p className="svcd-muted">{say(`guests.state.${person.state}.help`)}</p>
      {can('consents:read') && <Ledger listId={listId} personId={person.personId} />}
    </Dialog>
  );
}

function Ledger({ listId, personId }: { readonly listId: string; readonly personId: string }) {
  const { records, query } = usePersonRecords(personId);
  const { state, start } = useVerification(listId, personId);
  if (query.error !== null || query.isPending) return <Unread query={query} />;
  const here = records.filter((record) => record.listId === listId);
  const others = [...new Set(records.map((record) => record.listId))].filter((id) => id !== listId);
  return (
    <>
      <section className="svcd-stack" aria-labelledby="people-ledger">
        <div className="svcd-row svcd-section-header">
          <div>
            <h3 id="people-ledger">{say('people.ledger')}</h3>
            <p className="svcd-muted">{say('people.ledger-lead')}</p>
          </div>
          <div className="svcd-row svcd-actions">
            <Button
              size="small"
              icon={ShieldCheck}
              isBusy={state.name === 'running'}
              onPress={() => start()}
              text={say('people.verify')}
            />
          </div>
        </div>
        <div role="status">
          {state.name === 'running' && <p className="svcd-muted">{say('people.verifying', { entries: state.done })}</p>}
          {state.name === 'done' && <Statement verified={state.result} shown={here} />}
        </div>
        {state.name === 'failed' && <Problem error={state.error} onRetry={() => start()} />}
        {here.length === 0 ? <p>{say('people.ledger-none')}</p> : <LedgerRecords records={here} />}
      </section>
      {others.length > 0 && (
        <section className="svcd-stack" aria-labelledby="people-others">
          <h3 id="people-others">{say('people.others')}</h3>
          <ul className="svcd-bullets">
            {others.slice(0, OTHER_LISTS).map((other) => (
              <OtherList key={other} listId={other} personId={personId} />
            ))}
            {others.length > OTHER_LISTS && (
              <li>{say('people.others-more', { count: others.length - OTHER_LISTS })}</li>
            )}
          </ul>
        </section>
      )}
    </>
  );
}

interface StatementProps {
  readonly verified: Verified;
  readonly shown: readonly ConsentRecordResource[];
}

function Statement({ verified: { report, seenAt }, shown }: StatementProps) {
  const inChain = new Map(report.records.map((record) => [record.consentId, record]));
  const chained = shown.filter(({ seq }) => seq !== null);
  const isShown = ({ seq: _seq, entryHash: _hash, ...record }: ConsentRecordResource) => {
    const { seq: _, ...held } = inChain.get(record.consentId) ?? { seq: 0 };
    return JSON.stringify(Object.entries(held).sort()) === JSON.stringify(Object.entries(record).sort());
  };
  const matching = chained.filter(isShown).length;
  const { fault, line, entries, erased } = report;
  if (fault !== null || matching < chained.length) {
    return (
      <Notice tone="bad" title={say('people.verify-bad')}>
        <p>
          {fault === null
            ? say('people.verify-differs', { matching, count: chained.length })
            : say(`people.fault.${fault}`, { line })}
        </p>
        <p>{say('people.verify-bad-help')}</p>
      </Notice>
    );
  }
  return (
    <Notice tone="good" title={say('people.verify-good')}>
      <p>{say('people.verify-chain', { entries, erased })}</p>
      <p>{say('people.verify-person', { count: matching })}</p>
      <p className="svcd-small">
        {seenAt === null ? say('people.verify-first') : say('people.verify-since', { at: format.dateTime(seenAt) })}
      </p>
    </Notice>
  );
}

function OtherList({ listId, personId }: { readonly listId: string; readonly personId: string }) {
  const list = useRead('getList', { params: { listId } });
  const people = useRead('listPeople', { params: { listId }, query: { personId } }, { enabled: list.isSuccess });
  // A list that was deleted leaves its ledger.
  if (list.isError) return <li className="svcd-muted">{say('people.others-gone')}</li>;
  const [person] = people.data?.items ?? [];
  const { eventId = null, name = '…' } = list.data ?? {};
  return (
    <li>
      <Link to={eventId === null ? `/lists/${listId}/people` : `/events/${eventId}/guests`}>{name}</Link>
      {people.isSuccess && (
        <span className="svcd-muted">
          {' · '}
          {person === undefined
            ? say('people.others-not')
            : say('people.others-until', { at: format.date(person.deleteAfter) })}
        </span>
      )}
    </li>
  );
}
