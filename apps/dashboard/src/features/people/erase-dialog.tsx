import type { PersonResource } from '@svc/protocol';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, cache } from '../../api/client.ts';
import { useCan } from '../../api/hooks.ts';
import { Button } from '../../components/controls.tsx';
import { RadioField } from '../../components/field.tsx';
import { Dialog } from '../../components/form.tsx';
import { Notice, Problem, Unread } from '../../components/status.tsx';
import { format, say, words } from '../../text/index.ts';
import { usePersonRecords } from './ledger.ts';
import { LedgerRecords } from './ledger-records.tsx';
import { dropPerson } from './use-people.ts';

type Reason = 'consent-withdrawn' | 'other';

interface Subject {
  readonly listId: string;
  readonly personId: string;
}

/** Erases a person, and takes them out of what is shown without reading up to 500 pages again. */
function useErasure({ listId, personId }: Subject) {
  const mutationKey = ['erase', listId, personId];
  const mutation = useMutation({
    mutationKey,
    mutationFn: (reason: Reason) => {
      const query = reason === 'consent-withdrawn' ? { reason } : {};
      // A path cannot name these two.
      return personId === '.' || personId === '..'
        ? api.call('deletePersonByQuery', { params: { listId }, query: { ...query, personId } })
        : api.call('deletePerson', { params: { listId, personId }, query });
    },
    onSuccess: async () => {
      dropPerson(cache, listId, personId);
      const isCounted = ([, id]: readonly unknown[]) => id === 'getPeopleSummary' || id === 'getList';
      await Promise.all([
        cache.invalidateQueries({ queryKey: ['consents'] }),
        cache.invalidateQueries({ queryKey: ['events'] }),
        cache.invalidateQueries({ predicate: ({ queryKey }) => isCounted(queryKey) }),
      ]);
    },
  });
  /** A second press may come before the page shows that the first is under way. */
  const erase = (reason: Reason) => {
    if (cache.isMutating({ mutationKey }) === 0) mutation.mutate(reason);
  };
  return { ...mutation, erase };
}

export interface EraseDialogProps {
  readonly listId: string;
  readonly person: PersonResource;
}

/** Says what erasing does, asks for the reason, erases, and shows what the ledger holds afterwards. */
export function EraseDialog({ listId, person: { personId } }: EraseDialogProps) {
  const can = useCan();
  const [reason, setReason] = useState<Reason>('consent-withdrawn');
  const erasure = useErasure({ listId, personId });
  if (erasure.isSuccess) {
    return (
      <Dialog title={say('people.erased-title', { personId })} cancelLabel={say('app.close')}>
        <Notice tone="good" title={say('people.erased')} text={say('people.erased-doors')} />
        {can('consents:read') && (
          <AfterErasure listId={listId} personId={personId} isWithdrawn={erasure.variables === 'consent-withdrawn'} />
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
          onPress={() => erasure.erase(reason)}
          text={say('people.erase-do')}
        />
      }
    >
      <ul className="svcd-bullets">
        {(['face', 'doors', 'bill', 'again'] as const).map((what) => (
          <li key={what}>{say(`people.erase-${what}`)}</li>
        ))}
      </ul>
      <RadioField
        label={say('app.reason')}
        value={reason}
        onChange={setReason}
        options={[
          { value: 'consent-withdrawn', ...words('people.reason.withdrawn') },
          { value: 'other', ...words('people.reason.other') },
        ]}
      />
      <Problem error={erasure.error} />
    </Dialog>
  );
}

function AfterErasure({ listId, personId, isWithdrawn }: Subject & { readonly isWithdrawn: boolean }) {
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
