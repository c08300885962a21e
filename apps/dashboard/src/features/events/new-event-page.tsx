import './events.css';
import { Machine } from '@svc/page-kit';
import type { ListResource } from '@svc/protocol';
import { useNavigate } from '@tanstack/react-router';
import { Check } from 'lucide';
import { type ReactNode, useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { api, cache } from '../../api/client.ts';
import { ApiError, hasCode } from '../../api/errors.ts';
import { useSession } from '../../api/hooks.ts';
import { PageHeader } from '../../components/blocks.tsx';
import { Button, Icon, Link } from '../../components/controls.tsx';
import { useDraftStorage } from '../../components/draft-storage.ts';
import { TextField } from '../../components/field.tsx';
import { Confirm, Form } from '../../components/form.tsx';
import { Notice } from '../../components/status.tsx';
import { say, words } from '../../text/index.ts';
import { createZonedFormat, ownTimeZone, proposedTimes } from '../../text/places.ts';
import { deadlineOf } from '../lists/consequences.tsx';
import { EventFields, OrganiserFields, RetainFields } from './event-fields.tsx';
import {
  type Command,
  type Draft,
  eventBodyOf,
  type Faults,
  faultsOf,
  type Happening,
  isOpen,
  type ListBody,
  newDraft,
  type StepName,
  steps,
  transition,
} from './event-flow.ts';
import { LooksForm } from './looks-form.tsx';
import { EmbedCode, TestGuest } from './test-guest.tsx';

const toListBody = ({ name, retainDays, photoSource }: ListResource, eventId: string): ListBody => ({
  ...{ name, eventId, retainDays },
  ...(photoSource === 'camera' ? { photoSource } : {}),
});

/** Carries a command out. @returns what the answer makes happen @throws what the call throws */
async function call(command: Command): Promise<Happening> {
  switch (command.call) {
    case 'createEvent': {
      const { body, key: idempotencyKey } = command;
      const { eventId } = await api.call('createEvent', { body, idempotencyKey });
      return { type: 'event-saved', eventId, body };
    }
    case 'updateEvent': {
      const { eventId, body } = command;
      const saved = await api.call('updateEvent', { params: { eventId }, body });
      const { name, startsAt, endsAt, country } = saved;
      const timeZone = saved.timeZone ?? ownTimeZone();
      const now = { name, startsAt, endsAt, timeZone, ...(country === null ? {} : { country }) };
      return { type: 'event-saved', eventId, body: now };
    }
    case 'createList': {
      const { body, key: idempotencyKey } = command;
      const { listId } = await api.call('createList', { body, idempotencyKey });
      return { type: 'list-saved', listId, body };
    }
    case 'updateList': {
      const { listId, body } = command;
      const saved = await api.call('updateList', { params: { listId }, body });
      return { type: 'list-saved', listId, body: toListBody(saved, saved.eventId ?? '') };
    }
    case 'setWidgetSettings': {
      const { eventId, body } = command;
      await api.call('setWidgetSettings', { params: { eventId }, body: { ...body } });
      return { type: 'organiser-saved', body };
    }
    case 'findEvent': {
      const { items } = await api.call('listEvents', { query: { limit: 50 } });
      const { body, sinceMs } = command;
      const found = items
        .filter(({ createdAt }) => Date.parse(createdAt) >= sinceMs)
        .find((event) => (['name', 'startsAt', 'endsAt'] as const).every((name) => event[name] === body[name]));
      if (found === undefined) return { type: 'not-found', nowMs: Date.now() };
      return { type: 'event-saved', eventId: found.eventId, body };
    }
    case 'findList': {
      const { eventId } = command;
      const [found] = (await api.call('listLists', { query: { eventId } })).items;
      if (found === undefined) return { type: 'not-found', nowMs: Date.now() };
      return { type: 'list-saved', listId: found.listId, body: toListBody(found, eventId) };
    }
  }
}

/** A hook: the draft of this person, stored before each call, and what goes on with it. */
function useEventFlow() {
  const { account } = useSession();
  const storage = useDraftStorage<Draft>('event');
  const [isBusy, setBusy] = useState(false);
  const calls = useRef(0);
  const [error, setError] = useState<Error | null>(null);
  const start = useCallback(() => {
    const timeZone = ownTimeZone();
    return newDraft({
      draftId: crypto.randomUUID(),
      event: { ...proposedTimes(Date.now(), timeZone), timeZone, country: account.country ?? '' },
      organiserName: account.name,
    });
  }, [account.country, account.name]);

  const [machine] = useState(() => {
    const made = new Machine<Draft, Happening, Command>({
      initial: storage.load() ?? start(),
      transition,
      carryOut: (command) => void carryOut(command),
    });
    made.subscribe((draft) => storage.save(draft));
    async function carryOut(command: Command): Promise<void> {
      calls.current += 1;
      setBusy(true);
      setError(null);
      let happening: Happening;
      try {
        happening = await call(command);
        for (const resource of ['events', 'lists']) void cache.invalidateQueries({ queryKey: [resource] });
      } catch (caught) {
        const isRefused = caught instanceof ApiError && !caught.isTemporary && caught.o.status !== 401;
        happening = { type: 'failed', isRefused, code: caught instanceof ApiError ? caught.code : null };
        setError(caught as Error);
      }
      calls.current -= 1;
      made.dispatch(happening);
      setBusy(calls.current > 0);
    }
    return made;
  });
  const draft = useSyncExternalStore(machine.subscribe, () => machine.state);

  // Enter sends a form of one text field also while its button waits.
  const submit = useCallback(() => {
    if (calls.current === 0) machine.dispatch({ type: 'submitted', nowMs: Date.now() });
  }, [machine]);
  const leave = useCallback(() => {
    machine.dispatch({ type: 'replaced', draft: start() });
    storage.clear();
    setError(null);
  }, [machine, storage, start]);

  // What was open when the page was left is finished first.
  const isResumed = useRef(false);
  useEffect(() => {
    if (isResumed.current) return;
    isResumed.current = true;
    const { pending, eventId, saved: since } = machine.state;
    if (pending !== null) machine.dispatch({ type: 'resumed', nowMs: Date.now() });
    if (pending !== null || eventId === null) return;
    api.call('getEvent', { params: { eventId } }).then(
      ({ listId, widget }) =>
        machine.dispatch({ type: 'looked', event: { listId, hasOrganiser: widget !== null }, since }),
      (caught: unknown) => {
        if (hasCode(caught, 'not-found')) leave();
      },
    );
  }, [machine, leave]);
  // Who is at the last step is done: the next visit is for another event.
  useEffect(
    () => () => {
      if (machine.state.step === 'test') storage.clear();
    },
    [machine, storage],
  );
  useEffect(
    () =>
      storage.watch((other) => {
        if (other !== null) machine.dispatch({ type: 'replaced', draft: other });
      }),
    [machine, storage],
  );
  return { draft, happen: machine.dispatch, submit, isBusy, error, leave };
}

/** An event from its name to a first guest, in six steps. Each is saved; a reload goes on where it was. */
export function NewEventPage() {
  const flow = useEventFlow();
  const { draft, happen, error } = flow;
  const [isTried, setTried] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);
  const shown = useRef(draft.step);
  useEffect(() => {
    if (shown.current === draft.step) return;
    shown.current = draft.step;
    setTried(false);
    heading.current?.focus();
    heading.current?.scrollIntoView({ block: 'nearest' });
  }, [draft.step]);
  const faults = isTried ? faultsOf(draft, Date.now()) : {};
  const submit = () => {
    setTried(true);
    flow.submit();
  };
  const isBegun = draft.event.name.trim() !== '' || draft.eventId !== null;
  return (
    <>
      <PageHeader
        title={draft.event.name.trim() === '' ? say('events.new') : draft.event.name}
        above={<Link to="/">{say('events.title')}</Link>}
        lead={say('events.new-lead')}
        actions={isBegun && <Button kind="quiet" onPress={() => setAsking(true)} text={say('events.start-anew')} />}
      />
      <div className="svcd-flow">
        <FlowSteps draft={draft} onGo={(step) => happen({ type: 'went', step })} />
        <section className="svcd-section svcd-panel svcd-flow-step" aria-labelledby="step">
          <header>
            <h2 id="step" ref={heading} tabIndex={-1}>
              {say(`events.flow-${draft.step}`)}
            </h2>
            <p className="svcd-muted">{say(`events.flow-${draft.step}-lead`)}</p>
          </header>
          {draft.pending !== null && error === null && <Notice text={say('events.finding-out')} />}
          {draft.pending !== null && error !== null && (
            <Notice tone="warning" title={say('events.unsure')} text={say('events.unsure-help')} />
          )}
          <StepBody {...flow} faults={faults} submit={submit} goOn={flow.submit} />
        </section>
      </div>
      {isAsking && (
        <Confirm
          onClose={() => setAsking(false)}
          title={say('events.start-anew')}
          text={say(draft.eventId === null ? 'events.start-anew-text' : 'events.start-anew-saved')}
          action={say('events.start-anew')}
          kind="primary"
          onConfirm={() => {
            setAsking(false);
            flow.leave();
          }}
        />
      )}
    </>
  );
}

function FlowSteps({ draft, onGo }: { readonly draft: Draft; readonly onGo: (step: StepName) => void }) {
  return (
    <nav aria-label={say('events.flow')}>
      <ol className="svcd-flow-steps svcd-plain">
        {steps.map((step, index) => {
          const isDone = steps.indexOf(draft.step) > index || isPast(draft, step);
          const canGo = isOpen(draft, step) && draft.pending === null && step !== draft.step;
          return (
            <li key={step} data-state={step === draft.step ? 'current' : isDone ? 'done' : 'open'}>
              <button
                type="button"
                disabled={!canGo && step !== draft.step}
                aria-current={step === draft.step ? 'step' : undefined}
                onClick={() => canGo && onGo(step)}
              >
                <span className="svcd-step-mark" aria-hidden="true">
                  {isDone && step !== draft.step ? <Icon of={Check} /> : index + 1}
                </span>
                {say(`events.flow-${step}-short`)}
              </button>
            </li>
          );
        })}
      </ol>
    </nav>
  );
}

function isPast({ eventId, listId, saved }: Draft, step: StepName): boolean {
  if (step === 'event') return eventId !== null;
  if (step === 'list') return listId !== null;
  return step === 'organiser' && saved.organiser !== null;
}

interface StepProps {
  readonly draft: Draft;
  readonly faults: Faults;
  readonly happen: (happening: Happening) => void;
  /** Shows what is wrong with the fields, or goes on. */
  readonly submit: () => void;
  readonly goOn: () => void;
  readonly isBusy: boolean;
  readonly error: Error | null;
  readonly leave: () => void;
}

interface StepFormProps extends Pick<StepProps, 'submit' | 'isBusy' | 'error'> {
  readonly children: ReactNode;
}

/** The fields of a step, and the button that saves them. The first field with a fault takes the focus, once drawn. */
function StepForm({ submit, isBusy, error, children }: StepFormProps) {
  return (
    <Form
      act={{ isPending: isBusy, error }}
      action={say('events.save-and-go-on')}
      onSubmit={(form) => {
        submit();
        requestAnimationFrame(() => form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
      }}
    >
      {children}
    </Form>
  );
}

function StepBody({ draft, faults, happen, leave, goOn, ...form }: StepProps) {
  const navigate = useNavigate();
  const { eventId, listId, step } = draft;
  const edit = (changes: Omit<Extract<Happening, { readonly type: 'edited' }>, 'type'>) =>
    happen({ type: 'edited', ...changes });
  const leaveTo = (tab: string) => {
    leave();
    void navigate({ to: `/events/${eventId}${tab}` as string });
  };
  if (step === 'event' || eventId === null) {
    return (
      <StepForm {...form}>
        <EventFields
          fields={draft.event}
          faults={faults}
          withCountry={listId === null}
          onChange={(event) => edit({ event })}
        />
      </StepForm>
    );
  }
  if (step === 'list' || listId === null) {
    const endsAt = eventBodyOf(draft)?.endsAt ?? draft.saved.event?.endsAt ?? '';
    const { exact } = createZonedFormat(draft.event.timeZone);
    return (
      <StepForm {...form}>
        <TextField
          {...words('events.list-name')}
          value={draft.list.name}
          placeholder={draft.event.name}
          error={faults.listName === undefined ? undefined : say(`events.fault-${faults.listName}`)}
          onChange={(name) => edit({ list: { name } })}
        />
        <RetainFields
          value={draft.list}
          deadline={exact(deadlineOf(endsAt, draft.list.retainDays))}
          isDisabled={listId !== null}
          onChange={(list) => edit({ list })}
        />
        {listId !== null && <Notice text={say('events.retain-fixed')} />}
      </StepForm>
    );
  }
  if (step === 'organiser') {
    return (
      <StepForm {...form}>
        <OrganiserFields fields={draft.organiser} faults={faults} onChange={(organiser) => edit({ organiser })} />
      </StepForm>
    );
  }
  if (step === 'looks') {
    return (
      <>
        <LooksForm eventId={eventId} listId={listId} onSaved={goOn} action={say('events.save-and-go-on')} />
        <div className="svcd-row">
          <Button kind="quiet" onPress={goOn} text={say('events.skip-looks')} />
        </div>
      </>
    );
  }
  if (step === 'embed') {
    return (
      <>
        <EmbedCode eventId={eventId} />
        <div className="svcd-row">
          <Button kind="primary" onPress={goOn} text={say('app.go-on')} />
        </div>
      </>
    );
  }
  return (
    <>
      <TestGuest eventId={eventId} listId={listId} />
      <Notice tone="good" title={say('events.ready')} text={say('events.ready-help')} />
      <div className="svcd-row">
        <Button kind="primary" onPress={() => leaveTo('')} text={say('events.to-event')} />
        <Button onPress={() => leaveTo('/guests')} text={say('guests.invite')} />
        <Button onPress={() => leaveTo('/doors')} text={say('events.step-door')} />
      </div>
    </>
  );
}
