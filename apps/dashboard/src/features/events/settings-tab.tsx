import type { EventResource, ListResource } from '@svc/protocol';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useAct, useRead } from '../../api/hooks.ts';
import { useFormat, useSay } from '../../app/language.tsx';
import { useCan, useSession } from '../../app/session.tsx';
import { Button } from '../../components/button.tsx';
import { ConfirmByName } from '../../components/dialog.tsx';
import { CheckField } from '../../components/field.tsx';
import { Notice } from '../../components/notice.tsx';
import { Problem } from '../../components/problem.tsx';
import { Loading } from '../../components/progress.tsx';
import { Section } from '../../components/section.tsx';
import { toast } from '../../components/toast.tsx';
import { deadlineOf, isTooSoon, moveLines } from '../lists/consequences.ts';
import { Lines } from '../lists/lines.tsx';
import { ListLife } from '../lists/list-life.tsx';
import { ListSettings } from '../lists/list-settings.tsx';
import { draftStorage } from './draft-storage.ts';
import { EventFields } from './event-fields.tsx';
import { type Draft, eventBodyOf, eventFaults, type EventFields as Fields } from './event-flow.ts';
import { useEvent } from './event-hooks.ts';
import { RetainField } from './retain-field.tsx';
import { createZonedFormat, ownTimeZone, toLocal } from './zoned-time.ts';

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
  const say = useSay();
  const can = useCan();
  const { locale } = useFormat();
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
  const exact = createZonedFormat(locale, fields.timeZone).exact;
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
      <form
        className="svcd-form"
        noValidate
        onSubmit={(submitted) => {
          submitted.preventDefault();
          save();
        }}
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
        {change.error !== null && <Problem error={change.error} />}
        {!isReadOnly && (
          <div className="svcd-row">
            <Button
              kind="primary"
              type="submit"
              isBusy={change.isPending}
              isDisabled={isSame(fields, before) || isRefused || (moved !== null && impact.data === undefined)}
            >
              {say('app.save')}
            </Button>
          </div>
        )}
      </form>
    </Section>
  );
}

/** An event whose list was deleted, or never made. */
function MissingList({ event }: { readonly event: EventResource }) {
  const say = useSay();
  const can = useCan();
  const { locale } = useFormat();
  const [retainDays, setRetainDays] = useState(0);
  const [isCameraOnly, setCameraOnly] = useState(false);
  const create = useAct('createList', { alsoChanges: ['events'] });
  if (!can('lists:write')) return null;
  const exact = createZonedFormat(locale, event.timeZone ?? ownTimeZone()).exact;
  const deadline = deadlineOf(event.endsAt, retainDays);
  const isPast = Date.parse(deadline) <= Date.now();
  return (
    <Section title={say('events.list')} lead={say('events.list-missing')}>
      <form
        className="svcd-form"
        onSubmit={(submitted) => {
          submitted.preventDefault();
          const { name, eventId } = event;
          const photoSource = isCameraOnly ? 'camera' : 'any';
          create.mutate({ body: { name, eventId, retainDays, photoSource } });
        }}
      >
        <RetainField retainDays={retainDays} deadline={exact(deadline)} onChange={setRetainDays} />
        <CheckField
          label={say('lists.camera-only')}
          help={say('lists.camera-only-help')}
          value={isCameraOnly}
          onChange={setCameraOnly}
        />
        {isPast && <Notice tone="warning">{say('events.list-too-late')}</Notice>}
        {create.error !== null && <Problem error={create.error} />}
        <div className="svcd-row">
          <Button kind="primary" type="submit" isBusy={create.isPending} isDisabled={isPast}>
            {say('events.list-create')}
          </Button>
        </div>
      </form>
    </Section>
  );
}

function DeleteEvent({ event }: { readonly event: EventResource }) {
  const say = useSay();
  const can = useCan();
  const navigate = useNavigate();
  const { account, user } = useSession();
  const drafts = draftStorage<Draft>('event', account.accountId, user.userId);
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
      <ConfirmByName
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={say('events.delete-title', { name: event.name })}
        action={say('events.delete')}
        name={event.name}
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate({ params: { eventId: event.eventId } })}
      >
        <p>{say('events.delete-text')}</p>
        {remove.error !== null && <Problem error={remove.error} />}
      </ConfirmByName>
    </Section>
  );
}
