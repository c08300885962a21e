import type { EventResource, ListResource } from '@svc/protocol';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useAct, useCan, useRead } from '../../api/hooks.ts';
import { Section } from '../../components/blocks.tsx';
import { Button } from '../../components/controls.tsx';
import { useDraftStorage } from '../../components/draft-storage.ts';
import { ConfirmAct, Form, useDialog, useValues } from '../../components/form.tsx';
import { Loading, Notice, Problem, toast } from '../../components/status.tsx';
import { say } from '../../text/index.ts';
import { createZonedFormat } from '../../text/places.ts';
import { deadlineOf, isTooSoon, Lines, moveLines, policiesOf } from '../lists/consequences.tsx';
import { ListLife } from '../lists/list-life.tsx';
import { ListSettings } from '../lists/list-settings.tsx';
import { EventFields, RetainFields } from './event-fields.tsx';
import { advised, type Draft, eventBodyOf, eventFaults } from './event-flow.ts';
import { fieldsOf, useEvent } from './event-state.tsx';
import { EmbedCode } from './test-guest.tsx';

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
          {event.data.state !== 'over' && (
            <Section title={say('events.embed')} lead={say('events.embed-lead')}>
              <EmbedCode eventId={event.data.eventId} />
            </Section>
          )}
          <ListLife list={list.data} timeZone={event.data.timeZone} onDeleted={null} />
        </>
      )}
      {listId === null && <DeleteEvent event={event.data} />}
    </>
  );
}

interface OfEvent {
  readonly event: EventResource;
}

function EventSettings({ event, list }: OfEvent & { readonly list: ListResource | null }) {
  const before = fieldsOf(event);
  const { values: fields, change } = useValues(before);
  const [isTried, setTried] = useState(false);
  const isReadOnly = !useCan()('events:write');
  const update = useAct('updateEvent', { alsoChanges: ['lists'] });
  const body = eventBodyOf({ event: fields });
  const isMoved = body !== null && fields.endsAt !== before.endsAt && body.endsAt !== event.endsAt;
  const nowMs = Date.now();
  // The end of an event that is over may stay as it is.
  const { endsAt, ...rest } = eventFaults(fields, nowMs);
  const faults = endsAt === undefined || (endsAt === 'in-the-past' && !isMoved) ? rest : { ...rest, endsAt };
  const moved =
    list === null || !isMoved ? null : { before: event.endsAt, after: body.endsAt, retainDays: list.retainDays, nowMs };
  const impact = useRead(
    'getListImpact',
    { params: { listId: list?.listId ?? '' } },
    { enabled: moved !== null, staleMs: 5_000 },
  );
  const isRefused = moved !== null && isTooSoon(moved);
  const isSame = JSON.stringify(fields) === JSON.stringify(before);

  function save(): void {
    setTried(true);
    if (body === null || Object.keys(faults).length > 0 || isRefused) return;
    const params = { eventId: event.eventId };
    const changesTo = ({ endsAt: end, place = null, ...to }: EventResource | typeof body) => ({
      ...{ name: to.name, startsAt: to.startsAt, timeZone: to.timeZone, country: to.country ?? null },
      ...(fields.place === before.place ? {} : { place }),
      ...(isMoved ? { endsAt: end } : {}),
    });
    const onUndo = () => {
      change(before);
      update.mutate({ params, body: changesTo(event) });
    };
    // What was shortened stays so: another move back does not lengthen what people were told.
    const isUndoable = moved === null || moved.after > moved.before;
    update.mutate(
      { params, body: changesTo(body) },
      { onSuccess: () => toast({ text: say('app.saved'), ...(isUndoable ? { onUndo } : {}) }) },
    );
  }

  return (
    <Section title={say('events.event')} lead={say('events.settings-lead')}>
      <Form
        act={update}
        action={say('app.save')}
        isReadOnly={isReadOnly}
        isDisabled={isSame || isRefused || (moved !== null && impact.data === undefined)}
        onSubmit={save}
      >
        <EventFields
          fields={fields}
          faults={isTried ? faults : {}}
          isDisabled={isReadOnly}
          withCountry={event.listId === null}
          onChange={change}
        />
        <div role="status">
          {moved !== null && impact.data !== undefined && (
            <Notice tone={isRefused ? 'bad' : 'warning'} title={say('events.move-title')}>
              <Lines lines={moveLines(moved, impact.data, createZonedFormat(fields.timeZone).exact)} />
            </Notice>
          )}
        </div>
      </Form>
    </Section>
  );
}

/** An event whose list was deleted, or never made. */
function MissingList({ event }: OfEvent) {
  const can = useCan();
  const { values, change } = useValues(advised);
  const create = useAct('createList', { alsoChanges: ['events'] });
  if (!can('lists:write')) return null;
  const { name, eventId } = event;
  const { exact } = createZonedFormat(event.timeZone);
  const deadline = deadlineOf(event.endsAt, values.retainDays);
  const isPast = Date.parse(deadline) <= Date.now();
  return (
    <Section title={say('app.list')} lead={say('events.list-missing')}>
      <Form
        act={create}
        action={say('events.step-list')}
        isDisabled={isPast}
        onSubmit={() => create.mutate({ body: { name, eventId, ...policiesOf(values) } })}
      >
        <RetainFields value={values} deadline={exact(deadline)} onChange={change} />
        {isPast && <Notice tone="warning" text={say('events.list-too-late')} />}
      </Form>
    </Section>
  );
}

function DeleteEvent({ event: { eventId, name } }: OfEvent) {
  const can = useCan();
  const navigate = useNavigate();
  const drafts = useDraftStorage<Draft>('event');
  const { dialog, open } = useDialog();
  const leave = () => {
    if (drafts.load()?.eventId === eventId) drafts.clear();
    return navigate({ to: '/' as string });
  };
  if (!can('events:write')) return null;
  const removal = (
    <ConfirmAct
      operation="deleteEvent"
      input={{ params: { eventId } }}
      title={say('events.delete-title', { name })}
      text={say('events.delete-text')}
      action={say('events.delete')}
      name={name}
      told={say('events.deleted-now', { name })}
      onDone={leave}
    />
  );
  return (
    <Section title={say('events.delete')} lead={say('events.delete-lead')} kind="danger">
      <Button kind="danger" onPress={() => open(removal)} text={say('events.delete')} />
      {dialog}
    </Section>
  );
}
