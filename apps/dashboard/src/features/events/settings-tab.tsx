import type { EventResource, ListResource } from '@svc/protocol';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useAct, useRead } from '../../api/hooks.ts';
import { useCan } from '../../api/session.tsx';
import { Section } from '../../components/blocks.tsx';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { useDraftStorage } from '../../components/draft-storage.ts';
import { CheckField } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { Loading, Notice, Problem } from '../../components/status.tsx';
import { toast } from '../../components/toast.tsx';
import { say } from '../../text/index.ts';
import { createZonedFormat, ownTimeZone, toLocal } from '../../text/places.ts';
import { deadlineOf, isTooSoon, Lines, moveLines } from '../lists/consequences.tsx';
import { ListLife } from '../lists/list-life.tsx';
import { ListSettings } from '../lists/list-settings.tsx';
import { EventFields, RetainField } from './event-fields.tsx';
import { type Draft, eventBodyOf, eventFaults, type EventFields as Fields } from './event-flow.ts';
import { useEvent } from './event-state.tsx';

/** An event's data, its list's settings, and the end of both. */
export function SettingsTab() {
  const event = useEvent();
  const can = useCan();
  const listId = event.data?.listId ?? null;
  const list = useRead(
    'getList',
    { params: { listId: listId ?? '' } },
    { enabled: listId !== null && can('lists:read') },
  );
  if (event.data === undefined) return <Loading />;
  if (list.error !== null) return <Problem error={list.error} onRetry={() => void list.refetch()} />;
  if (listId !== null && can('lists:read') && list.data === undefined) return <Loading />;
  return (
    <>
      <EventSettings key={event.data.eventId} event={event.data} list={list.data ?? null} />
      {listId === null && <MissingList event={event.data} />}
      {listId !== null && list.data !== undefined && (
        <>
          <ListSettings key={listId} list={list.data} />
          <ListLife list={list.data} timeZone={event.data.timeZone} onDeleted={() => undefined} />
        </>
      )}
      {listId === null && <DeleteEvent event={event.data} />}
    </>
  );
}

const fieldsOf = ({ name, startsAt, endsAt, timeZone, country }: EventResource): Fields => {
  const place = timeZone ?? ownTimeZone();
  return {
    name,
    startsAt: toLocal(startsAt, place),
    endsAt: toLocal(endsAt, place),
    timeZone: place,
    country: country ?? '',
  };
};

const isSame = (one: Fields, other: Fields) => JSON.stringify(one) === JSON.stringify(other);

function EventSettings({ event, list }: { readonly event: EventResource; readonly list: ListResource | null }) {
  const can = useCan();
  const before = fieldsOf(event);
  const [fields, setFields] = useState(before);
  const [isTried, setTried] = useState(false);
  const isReadOnly = !can('events:write');
  const change = useAct('updateEvent', { alsoChanges: ['lists'] });
  const body = eventBodyOf({ event: fields });
  const isMoved = body !== null && fields.endsAt !== before.endsAt && body.endsAt !== event.endsAt;
  const now = Date.now();
  // The end of an event that is over may stay as it is.
  const { endsAt, ...rest } = eventFaults(fields, now);
  const faults = endsAt === undefined || (endsAt === 'in-the-past' && !isMoved) ? rest : { ...rest, endsAt };
  const moved =
    list === null || !isMoved
      ? null
      : { before: event.endsAt, after: body.endsAt, retainDays: list.retainDays, nowMs: now };
  const impact = useRead(
    'getListImpact',
    { params: { listId: list?.listId ?? '' } },
    { enabled: moved !== null, staleMs: 5_000 },
  );
  const exact = createZonedFormat(fields.timeZone).exact;
  const isRefused = moved !== null && isTooSoon(moved);

  function save(): void {
    setTried(true);
    if (body === null || Object.keys(faults).length > 0 || isRefused) return;
    const params = { eventId: event.eventId };
    const { name, startsAt, timeZone } = body;
    const changed = {
      name,
      startsAt,
      timeZone,
      country: body.country ?? null,
      ...(isMoved ? { endsAt: body.endsAt } : {}),
    };
    // What was shortened stays so: another move back does not lengthen what people were told.
    const isUndoable = moved === null || moved.after > moved.before;
    change.mutate(
      { params, body: changed },
      {
        onSuccess: () =>
          toast({
            text: say('app.saved'),
            ...(isUndoable
              ? {
                  onUndo: () => {
                    setFields(before);
                    const { country, endsAt: end } = event;
                    change.mutate({
                      params,
                      body: {
                        ...{ name: event.name, startsAt: event.startsAt, timeZone: event.timeZone, country },
                        ...(isMoved ? { endsAt: end } : {}),
                      },
                    });
                  },
                }
              : {}),
          }),
      },
    );
  }

  return (
    <Section title={say('events.event')} lead={say('events.settings-lead')}>
      <Form
        act={change}
        action={say('app.save')}
        isReadOnly={isReadOnly}
        isDisabled={isSame(fields, before) || isRefused || (moved !== null && impact.data === undefined)}
        onSubmit={save}
      >
        <EventFields
          fields={fields}
          faults={isTried ? faults : {}}
          isDisabled={isReadOnly}
          withCountry={event.listId === null}
          onChange={(changes) => setFields({ ...fields, ...changes })}
        />
        <div role="status">
          {moved !== null && impact.data !== undefined && (
            <Notice tone={isRefused ? 'bad' : 'warning'} title={say('events.move-title')}>
              <Lines lines={moveLines(moved, impact.data, exact)} />
            </Notice>
          )}
        </div>
      </Form>
    </Section>
  );
}

/** An event whose list was deleted, or never made. */
function MissingList({ event }: { readonly event: EventResource }) {
  const can = useCan();
  const [retainDays, setRetainDays] = useState(0);
  const [isCameraOnly, setCameraOnly] = useState(false);
  const create = useAct('createList', { alsoChanges: ['events'] });
  if (!can('lists:write')) return null;
  const exact = createZonedFormat(event.timeZone ?? ownTimeZone()).exact;
  const deadline = deadlineOf(event.endsAt, retainDays);
  const isPast = Date.parse(deadline) <= Date.now();
  return (
    <Section title={say('app.list')} lead={say('events.list-missing')}>
      <Form
        act={create}
        action={say('app.make-list')}
        isDisabled={isPast}
        onSubmit={() =>
          create.mutate({
            body: {
              name: event.name,
              eventId: event.eventId,
              retainDays,
              photoSource: isCameraOnly ? 'camera' : 'any',
            },
          })
        }
      >
        <RetainField retainDays={retainDays} deadline={exact(deadline)} onChange={setRetainDays} />
        <CheckField
          label={say('lists.camera-only')}
          help={say('lists.camera-only-help')}
          value={isCameraOnly}
          onChange={setCameraOnly}
        />
        {isPast && <Notice tone="warning">{say('events.list-too-late')}</Notice>}
      </Form>
    </Section>
  );
}

function DeleteEvent({ event }: { readonly event: EventResource }) {
  const can = useCan();
  const navigate = useNavigate();
  const drafts = useDraftStorage<Draft>('event');
  const [isAsking, setAsking] = useState(false);
  const remove = useAct('deleteEvent', {
    onSuccess: () => {
      setAsking(false);
      if (drafts.load()?.eventId === event.eventId) drafts.clear();
      toast({ text: say('events.deleted-now', { name: event.name }) });
      void navigate({ to: '/' as string });
    },
  });
  if (!can('events:write')) return null;
  return (
    <Section title={say('events.delete')} lead={say('events.delete-lead')} kind="danger">
      <div className="svcd-row">
        <Button kind="danger" onPress={() => setAsking(true)}>
          {say('events.delete')}
        </Button>
      </div>
      <Confirm
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={say('events.delete-title', { name: event.name })}
        action={say('events.delete')}
        name={event.name}
        act={remove}
        onConfirm={() => remove.mutate({ params: { eventId: event.eventId } })}
      >
        <p>{say('events.delete-text')}</p>
      </Confirm>
    </Section>
  );
}
