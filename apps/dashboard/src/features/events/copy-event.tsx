import type { EventResource } from '@svc/protocol';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useAct } from '../../api/hooks.ts';
import { FormDialog, useClose, useValues } from '../../components/form.tsx';
import { toast } from '../../components/status.tsx';
import { say } from '../../text/index.ts';
import { EventFields } from './event-fields.tsx';
import { eventBodyOf, eventFaults, type EventFields as Fields } from './event-flow.ts';
import { fieldsOf } from './event-state.tsx';

const WEEK_MS = 604_800_000;

/** The same weekday and time of day, in the first week from now on that is later. */
export function proposedCopy(event: EventResource, nowMs: number): Fields {
  const fields = fieldsOf(event);
  const weeks = Math.max(1, Math.ceil((nowMs - Date.parse(event.startsAt)) / WEEK_MS));
  // Wall clocks, which a change to summer time leaves as they are.
  const later = (local: string) =>
    new Date(Date.parse(`${local}Z`) + weeks * WEEK_MS).toISOString().slice(0, 'yyyy-mm-ddThh:mm'.length);
  return { ...fields, startsAt: later(fields.startsAt), endsAt: later(fields.endsAt) };
}

export function CopyEvent({ event }: { readonly event: EventResource }) {
  const close = useClose();
  const navigate = useNavigate();
  const { values: fields, change } = useValues(() => proposedCopy(event, Date.now()));
  const [isTried, setTried] = useState(false);
  const faults = eventFaults(fields, Date.now());
  const copy = useAct('copyEvent', {
    alsoChanges: ['lists'],
    onSuccess: ({ eventId }) => {
      close();
      toast({ text: say('app.copied') });
      void navigate({ to: `/events/${eventId}` as string });
    },
  });

  function submit(): void {
    setTried(true);
    const body = eventBodyOf({ event: fields });
    if (body === null || Object.keys(faults).length > 0) return;
    copy.mutate({ params: { eventId: event.eventId }, body: { ...body, place: body.place ?? null } });
  }

  return (
    <FormDialog
      title={say('events.copy-title', { name: event.name })}
      act={copy}
      action={say('app.copy')}
      onSubmit={submit}
    >
      <p>{say('events.copy-text')}</p>
      <EventFields fields={fields} faults={isTried ? faults : {}} withCountry={false} onChange={change} />
    </FormDialog>
  );
}
