import { api, cache } from '../../api/page.ts';
import { say } from '../../text/index.ts';
import './events.css';
import { Machine } from '@svc/page-kit';
import type { ListResource } from '@svc/protocol';
import { useNavigate } from '@tanstack/react-router';
import { Check } from 'lucide';
import { type ReactNode, useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import type { Api } from '../../api/client.ts';
import { ApiError, hasCode } from '../../api/errors.ts';
import { useSession } from '../../api/session.tsx';
import { PageHeader } from '../../components/blocks.tsx';
import { Button, Icon } from '../../components/button.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { useDraftStorage } from '../../components/draft-storage.ts';
import { CheckField, TextField } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { Link } from '../../components/link.tsx';
import { Notice } from '../../components/status.tsx';
import { createZonedFormat, ownTimeZone, proposedTimes } from '../../text/places.ts';
import { deadlineOf } from '../lists/consequences.tsx';
import { EventFields, OrganiserFields, RetainField } from './event-fields.tsx';
import {
  type Command,
  type Draft,
  eventBodyOf,
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
async function call(api: Api, command: Command): Promise<Happening> {
  switch (command.call) {
    case 'createEvent': {
      const { eventId } = await api.call('createEvent', { body: command.body, idempotencyKey: command.key });
      return { type: 'event-saved', eventId, body: command.body };
    }
    case 'updateEvent': {
      const { eventId, body } = command;
      const saved = await api.call('updateEvent', { params: { eventId }, body });
      const { name, startsAt, endsAt, timeZone, country } = saved;
      return {
        type: 'event-saved',
        eventId,
        body: { name, startsAt, endsAt, timeZone: timeZone ?? ownTimeZone(), ...(country === null ? {} : { country }) },
      };
    }
    case 'createList': {
      const { listId } = await api.call('createList', { body: command.body, idempotencyKey: command.key });
      return { type: 'list-saved', listId, body: command.body };
    }
    case 'updateList': {
      const saved = await api.call('updateList', { params: { listId: command.listId }, body: command.body });
      return { type: 'list-saved', listId: saved.listId, body: toListBody(saved, saved.eventId ?? '') };
    }
    case 'setWidgetSettings': {
      const { eventId, body } = command;
      await api.call('setWidgetSettings', { params: { eventId }, body: { ...body } });
      return { type: 'organiser-saved', body };
    }
    case 'findEvent': {
      const { items } = await api.call('listEvents', { query: { limit: 50 } });
      const { name, startsAt, endsAt } = command.body;
      const found = items.find(
        (event) =>
          Date.parse(event.createdAt) >= command.sinceMs &&
          event.name === name &&
          event.startsAt === startsAt &&
          event.endsAt === endsAt,
      );
      if (found === undefined) return { type: 'not-found', nowMs: Date.now() };
      return { type: 'event-saved', eventId: found.eventId, body: command.body };
    }
    case 'findList': {
      const { items } = await api.call('listLists', { query: { eventId: command.eventId } });
      const [found] = items;
      if (found === undefined) return { type: 'not-found', nowMs: Date.now() };
      return { type: 'list-saved', listId: found.listId, body: toListBody(found, command.eventId) };
    }
  }
}

/** A hook: the draft of this person, stored before each call, and what goes on with it. */
function useEventFlow() {
  const { account } = useSession();
  const storage = useDraftStorage<Draft>('event');
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const calls = useRef(0);
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
        happening = await call(api, command);
        void cache.invalidateQueries({ queryKey: ['events'] });
        void cache.invalidateQueries({ queryKey: ['lists'] });
      } catch (caught) {
        const isRefused = caught instanceof ApiError && !caught.isTemporary && caught.o.status !== 401;
        happening = { type: 'failed', isRefused, code: caught instanceof ApiError ? caught.code : null };
        setError(caught);
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
  }, [api, machine, leave]);
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
        actions={
          isBegun && (
            <Button kind="quiet" onPress={() => setAsking(true)}>
              {say('events.start-anew')}
            </Button>
          )
        }
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
          {draft.pending !== null && error === null && <Notice>{say('events.finding-out')}</Notice>}
          {draft.pending !== null && error !== null && (
            <Notice tone="warning" title={say('events.unsure')}>
              {say('events.unsure-help')}
            </Notice>
          )}
          <StepBody {...flow} faults={faults} submit={submit} goOn={flow.submit} />
        </section>
      </div>
      <Confirm
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={say('events.start-anew')}
        action={say('events.start-anew')}
        kind="primary"
        onConfirm={() => {
          setAsking(false);
          flow.leave();
        }}
      >
        <p>{say(draft.eventId === null ? 'events.start-anew-text' : 'events.start-anew-saved')}</p>
      </Confirm>
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

interface StepFormProps extends Pick<StepProps, 'submit' | 'isBusy' | 'error'> {
  readonly children: ReactNode;
}

interface StepProps {
  readonly draft: Draft;
  readonly faults: ReturnType<typeof faultsOf>;
  readonly happen: (happening: Happening) => void;
  /** Shows what is wrong with the fields, or goes on. */
  readonly submit: () => void;
  readonly goOn: () => void;
  readonly isBusy: boolean;
  readonly error: unknown;
  readonly leave: () => void;
}

/** The fields of a step, and the button that saves them. The first field with a fault takes the focus, once drawn. */
function StepForm({ submit, isBusy, error, children }: StepFormProps) {
  return (
    <Form
      act={{ isPending: isBusy, error: error as Error | null }}
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
  const { eventId, listId } = draft;
  const leaveTo = (tab: string) => {
    leave();
    void navigate({ to: `/events/${eventId}${tab}` as string });
  };
  if (draft.step === 'event' || eventId === null) {
    return (
      <StepForm {...form}>
        <EventFields
          fields={draft.event}
          faults={faults}
          withCountry={listId === null}
          onChange={(event) => happen({ type: 'edited', event })}
        />
      </StepForm>
    );
  }
  if (draft.step === 'list' || listId === null) {
    const endsAt = eventBodyOf(draft)?.endsAt ?? draft.saved.event?.endsAt ?? '';
    const { exact } = createZonedFormat(draft.event.timeZone);
    return (
      <StepForm {...form}>
        <TextField
          label={say('events.list-name')}
          help={say('events.list-name-help')}
          value={draft.list.name}
          placeholder={draft.event.name}
          error={faults.listName === undefined ? undefined : say(`events.fault-${faults.listName}`)}
          onChange={(name) => happen({ type: 'edited-list', list: { name } })}
        />
        <RetainField
          retainDays={draft.list.retainDays}
          deadline={exact(deadlineOf(endsAt, draft.list.retainDays))}
          isDisabled={listId !== null}
          onChange={(retainDays) => happen({ type: 'edited-list', list: { retainDays } })}
        />
        <CheckField
          label={say('lists.camera-only')}
          help={say('lists.camera-only-help')}
          value={draft.list.isCameraOnly}
          isDisabled={listId !== null}
          onChange={(isCameraOnly) => happen({ type: 'edited-list', list: { isCameraOnly } })}
        />
        {listId !== null && <Notice>{say('events.retain-fixed')}</Notice>}
      </StepForm>
    );
  }
  if (draft.step === 'organiser') {
    return (
      <StepForm {...form}>
        <OrganiserFields
          fields={draft.organiser}
          faults={faults}
          onChange={(organiser) => happen({ type: 'edited-organiser', organiser })}
        />
      </StepForm>
    );
  }
  if (draft.step === 'looks') {
    return (
      <>
        <LooksForm eventId={eventId} listId={listId} onSaved={goOn} action={say('events.save-and-go-on')} />
        <div className="svcd-row">
          <Button kind="quiet" onPress={goOn}>
            {say('events.skip-looks')}
          </Button>
        </div>
      </>
    );
  }
  if (draft.step === 'embed') {
    return (
      <>
        <EmbedCode eventId={eventId} />
        <div className="svcd-row">
          <Button kind="primary" onPress={goOn}>
            {say('app.go-on')}
          </Button>
        </div>
      </>
    );
  }
  return (
    <>
      <TestGuest eventId={eventId} listId={listId} />
      <Notice tone="good" title={say('events.ready')}>
        {say('events.ready-help')}
      </Notice>
      <div className="svcd-row">
        <Button kind="primary" onPress={() => leaveTo('')}>
          {say('events.to-event')}
        </Button>
        <Button onPress={() => leaveTo('/guests')}>{say('events.to-guests')}</Button>
        <Button onPress={() => leaveTo('/doors')}>{say('events.to-doors')}</Button>
      </div>
    </>
  );
}
