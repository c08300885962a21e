import { MAX_PERSON_IDS_AT_ONCE, type PersonResource } from '@svc/protocol';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useAct, useCan, useRead } from '../../api/hooks.ts';
import { Button } from '../../components/controls.tsx';
import { RadioField } from '../../components/field.tsx';
import { Dialog } from '../../components/form.tsx';
import { ActOnMany } from '../../components/many.tsx';
import { Notice, Problem, Unread } from '../../components/status.tsx';
import { format, say, words } from '../../text/index.ts';
import { usePersonRecords } from './ledger.ts';
import { LedgerRecords } from './ledger-records.tsx';

type Reason = 'consent-withdrawn' | 'other';

interface EraseDialogProps {
  readonly listId: string;
  readonly person: PersonResource;
  readonly onErased: () => void;
}

/** Says what erasing does, asks for the reason, erases, and shows what the ledger holds afterwards. */
export function EraseDialog({ listId, person, onErased }: EraseDialogProps) {
  const { personId } = person;
  const can = useCan();
  const [reason, setReason] = useState<Reason>('consent-withdrawn');
  // By the query, because a path cannot name every person.
  const erasure = useAct('deletePersonByQuery', {
    alsoChanges: ['consents', 'events'],
    onSuccess: onErased,
  });
  const query = { personId, ...(reason === 'other' ? {} : { reason }) };
  if (erasure.isSuccess) {
    return (
      <Dialog title={say('people.erased-title', { personId })} cancelLabel={say('app.close')}>
        <Notice tone="good" title={say('people.erased')} text={say('people.erased-doors')} />
        {can('consents:read') && (
          <AfterErasure
            listId={listId}
            personId={personId}
            isWithdrawn={erasure.variables.query.reason === 'consent-withdrawn'}
          />
        )}
      </Dialog>
    );
  }
  return (
    <Dialog
      isQuestion
      title={say('people.erase-title', { personId })}
      actions={
        <Button
          kind="danger"
          isBusy={erasure.isPending}
          onPress={() => erasure.mutate({ params: { listId }, query })}
          text={say('people.erase-do')}
        />
      }
    >
      <ul className="svcd-bullets">
        {(['face', 'doors', 'bill', 'again'] as const).map((what) => (
          <li key={what}>{say(`people.erase-${what}`)}</li>
        ))}
      </ul>
      <ReasonField value={reason} onChange={setReason} />
      <Problem error={erasure.error} />
    </Dialog>
  );
}

type EraseManyProps = Pick<EraseDialogProps, 'listId'> &
  Record<'people', readonly PersonResource[]> &
  Record<'onDone', () => void>;

/** Erases several, with one reason for all. */
export function EraseMany({ listId, people, onDone }: EraseManyProps) {
  const [reason, setReason] = useState<Reason>('consent-withdrawn');
  const impact = useRead('getListImpact', { params: { listId } }, { enabled: useCan()('lists:read'), staleMs: 0 });
  const given = reason === 'other' ? {} : { reason };
  const count = people.length;
  return (
    <ActOnMany
      title={say('many.erase-title', { count })}
      action={say('many.erase', { count })}
      rows={people}
      nameOf={({ personId }) => personId}
      act={(...some) => {
        const personIds = some.map(({ personId }) => personId);
        return api.call('erasePeople', { params: { listId }, body: { personIds, ...given } });
      }}
      rowsAtOnce={MAX_PERSON_IDS_AT_ONCE}
      changes={['lists', 'consents', 'events']}
      onDone={onDone}
    >
      <ul className="svcd-bullets">
        <li>{say('many.erase-faces', { count, all: Math.max(count, impact.data?.people ?? 0) })}</li>
        {impact.data !== undefined && impact.data.devicesWithCopy > 0 && (
          <li>{say('many.erase-doors', { count: impact.data.devicesWithCopy })}</li>
        )}
        {(['doors', 'bill', 'again'] as const).map((what) => (
          <li key={what}>{say(`people.erase-${what}`)}</li>
        ))}
      </ul>
      <ReasonField value={reason} onChange={setReason} />
    </ActOnMany>
  );
}

function ReasonField(o: { readonly value: Reason; readonly onChange: (reason: Reason) => void }) {
  return (
    <RadioField
      label={say('app.reason')}
      {...o}
      options={[
        { value: 'consent-withdrawn', ...words('people.reason.withdrawn') },
        { value: 'other', ...words('people.reason.other') },
      ]}
    />
  );
}

interface AfterErasureProps {
  readonly listId: string;
  readonly personId: string;
  readonly isWithdrawn: boolean;
}

function AfterErasure({ listId, personId, isWithdrawn }: AfterErasureProps) {
  const { records, query } = usePersonRecords(personId);
  if (query.error !== null || query.isPending || query.isFetching) return <Unread query={query} />;
  const here = records.filter((record) => record.listId === listId);
  const last = here.at(-1);
  const fresh = isWithdrawn && last?.kind === 'withdrawn' ? last : null;
  return (
    <section className="svcd-stack" aria-labelledby="people-after">
      <h3 id="people-after">{say('people.ledger')}</h3>
      <p>
        {fresh === null
          ? say('people.after-unchanged')
          : say('people.after-withdrawn', { at: format.dateTime(fresh.recordedAt), seq: fresh.seq ?? 0 })}
      </p>
      <LedgerRecords records={here} fresh={fresh?.consentId ?? null} />
    </section>
  );
}
