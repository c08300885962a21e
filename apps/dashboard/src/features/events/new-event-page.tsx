import { newUuid } from '@svc/page-kit';
import './events.css';
import { useNavigate } from '@tanstack/react-router';
import { Check } from 'lucide';
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react';
import { cache } from '../../api/client.ts';
import { hasCode } from '../../api/errors.ts';
import { type Act, useSession, useTask } from '../../api/hooks.ts';
import { PageHeader } from '../../components/blocks.tsx';
import { Button, Icon, Link } from '../../components/controls.tsx';
import { useDraftStorage } from '../../components/draft-storage.ts';
import { TextField } from '../../components/field.tsx';
import { Dialog, Form, useClose, useDialog } from '../../components/form.tsx';
import { Notice } from '../../components/status.tsx';
import { say, words } from '../../text/index.ts';
import { createZonedFormat, ownTimeZone, proposedTimes } from '../../text/places.ts';
import { deadlineOf } from '../lists/consequences.tsx';
import { EventFields, OrganiserFields, RetainFields } from './event-fields.tsx';
import {
  type Draft,
  type DraftStore,
  eventBodyOf,
  type Faults,
  faultsOf,
  forgetOld,
  isOpen,
  lookUp,
  newDraft,
  type StepName,
  saveStep,
  steps,
} from './event-flow.ts';
import { LooksForm } from './looks-form.tsx';
import { EmbedCode, TestGuest } from './test-guest.tsx';

/** A hook: the draft of this person, kept on this device, and what goes on with it. */
function useEventFlow() {
  const { account } = useSession();
  const storage = useDraftStorage<Draft>('event');
  const start = () => {
    const timeZone = ownTimeZone();
    return newDraft({
      draftId: newUuid(),
      event: { ...proposedTimes(Date.now(), timeZone), timeZone, country: account.country ?? '' },
      organiserName: account.name,
    });
  };
  const [draft, setDraft] = useState(() => storage.load() ?? start());
  const latest = useRef(draft);
  const show = (next: Draft) => {
    latest.current = next;
    setDraft(next);
  };
  const store: DraftStore = {
    get: () => latest.current,
    set(changes) {
      show({ ...latest.current, ...changes });
      storage.save(latest.current);
    },
  };
  /** Whether an event was sent so long ago that it cannot be found out what became of it. */
  const [isForgotten, setForgotten] = useState(false);
  const forgets = () => {
    const { pending } = latest.current;
    const isOld = forgetOld(store);
    if (isOld && pending?.what === 'event') setForgotten(true);
    return isOld;
  };
  const isSaving = useRef(false);
  const save = useTask(
    () =>
      saveStep(store).finally(() => {
        isSaving.current = false;
        for (const resource of ['events', 'lists']) void cache.invalidateQueries({ queryKey: [resource] });
      }),
    () => undefined,
  );
  // Enter sends a form of one text field also while its button waits.
  const goOn = () => {
    if (isSaving.current || forgets()) return;
    isSaving.current = true;
    save.mutate();
  };
  const leave = () => {
    show(start());
    storage.clear();
    setForgotten(false);
    save.reset();
  };
  const begin = useEffectEvent(() => {
    // What was open when the page was left is finished first.
    if (!forgets() && latest.current.pending !== null) goOn();
    else lookUp(store).catch((caught: unknown) => hasCode(caught, 'not-found') && leave());
  });
  // Who is at the last step is done: the next visit is for another event.
  const end = useEffectEvent(() => latest.current.step === 'test' && storage.clear());
  const takeOver = useEffectEvent((other: Draft | null) => other !== null && show(other));
  useEffect(() => {
    begin();
    return () => void end();
  }, []);
  useEffect(() => storage.watch(takeOver), [storage]);
  return { draft, set: store.set, goOn, save, leave, isForgotten: isForgotten && draft.eventId === null };
}

/** An event from its name to a first guest, in six steps. Each is saved; a reload goes on where it was. */
export function NewEventPage() {
  const flow = useEventFlow();
  const { draft, save } = flow;
  const [isTried, setTried] = useState(false);
  const { dialog, open } = useDialog();
  const heading = useRef<HTMLHeadingElement>(null);
  const shown = useRef(draft.step);
  useEffect(() => {
    if (shown.current === draft.step) return;
    shown.current = draft.step;
    setTried(false);
    heading.current?.focus();
    heading.current?.scrollIntoView({ block: 'nearest' });
  }, [draft.step]);
  const faults = faultsOf(draft, Date.now());
  const submit = () => {
    setTried(true);
    if (draft.pending !== null || Object.keys(faults).length === 0) flow.goOn();
  };
  const isBegun = draft.event.name.trim() !== '' || draft.eventId !== null;
  const isPending = draft.pending !== null;
  const startAnew = () => open(<StartAnew isSaved={draft.eventId !== null} onConfirm={flow.leave} />);
  return (
    <>
      <PageHeader
        title={draft.event.name.trim() === '' ? say('events.new') : draft.event.name}
        above={<Link to="/">{say('events.title')}</Link>}
        lead={say('events.new-lead')}
        actions={
          isBegun && (
            <Button kind="quiet" isDisabled={save.isPending} onPress={startAnew} text={say('events.start-anew')} />
          )
        }
      />
      <FlowSteps draft={draft} onGo={(step) => flow.set({ step })} />
      <section className="svcd-section svcd-panel" aria-labelledby="step">
        <header>
          <h2 id="step" ref={heading} tabIndex={-1}>
            {say(`events.flow-${draft.step}`)}
          </h2>
          <p className="svcd-muted">{say(`events.flow-${draft.step}-lead`)}</p>
        </header>
        {isPending && save.error === null && <Notice text={say('events.finding-out')} />}
        {isPending && save.error !== null && (
          <Notice tone="warning" title={say('events.unsure')} text={say('events.unsure-help')} />
        )}
        {flow.isForgotten && (
          <Notice tone="warning" isAlert title={say('events.forgotten')} text={say('events.forgotten-help')} />
        )}
        <StepBody {...flow} faults={isTried ? faults : {}} submit={submit} />
      </section>
      {dialog}
    </>
  );
}

function StartAnew({ isSaved, onConfirm }: { readonly isSaved: boolean; readonly onConfirm: () => void }) {
  const close = useClose();
  const confirm = () => {
    close();
    onConfirm();
  };
  return (
    <Dialog
      isQuestion
      title={say('events.start-anew')}
      actions={<Button kind="primary" onPress={confirm} text={say('events.start-anew')} />}
    >
      <p>{say(isSaved ? 'events.start-anew-saved' : 'events.start-anew-text')}</p>
    </Dialog>
  );
}

function FlowSteps({ draft, onGo }: { readonly draft: Draft; readonly onGo: (step: StepName) => void }) {
  return (
    <nav className="svcd-tabs" aria-label={say('events.flow')}>
      {steps.map((step, index) => {
        const isCurrent = step === draft.step;
        const isDone = steps.indexOf(draft.step) > index || isPast(draft, step);
        const canGo = isOpen(draft, step) && draft.pending === null && !isCurrent;
        return (
          <button
            key={step}
            type="button"
            className="svcd-tab"
            disabled={!canGo && !isCurrent}
            aria-current={isCurrent ? 'step' : undefined}
            onClick={() => canGo && onGo(step)}
          >
            {isDone && !isCurrent ? <Icon of={Check} /> : <span aria-hidden="true">{index + 1}</span>}
            {say(`events.flow-${step}-short`)}
          </button>
        );
      })}
    </nav>
  );
}

function isPast({ eventId, listId, saved }: Draft, step: StepName): boolean {
  if (step === 'event') return eventId !== null;
  if (step === 'list') return listId !== null;
  return step === 'organiser' && saved.organiser !== null;
}

interface StepProps extends Omit<ReturnType<typeof useEventFlow>, 'save'> {
  readonly save: Act;
  readonly faults: Faults;
  /** Shows what is wrong with the fields, or goes on. */
  readonly submit: () => void;
}

/** The fields of a step, and the button that saves them. The first field with a fault takes the focus, once drawn. */
function StepForm({ submit, save, children }: Pick<StepProps, 'submit' | 'save'> & { readonly children: ReactNode }) {
  return (
    <Form
      act={save}
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

function StepBody({ draft, faults, set, leave, goOn, ...form }: StepProps) {
  const navigate = useNavigate();
  const { eventId, listId, step } = draft;
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
          onChange={(event) => set({ event: { ...draft.event, ...event } })}
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
          onChange={(name) => set({ list: { ...draft.list, name } })}
        />
        <RetainFields
          value={draft.list}
          deadline={exact(deadlineOf(endsAt, draft.list.retainDays))}
          isDisabled={listId !== null}
          onChange={(list) => set({ list: { ...draft.list, ...list } })}
        />
        {listId !== null && <Notice text={say('events.retain-fixed')} />}
      </StepForm>
    );
  }
  if (step === 'organiser') {
    return (
      <StepForm {...form}>
        <OrganiserFields
          fields={draft.organiser}
          faults={faults}
          onChange={(organiser) => set({ organiser: { ...draft.organiser, ...organiser } })}
        />
      </StepForm>
    );
  }
  if (step === 'looks') {
    return (
      <>
        <LooksForm eventId={eventId} listId={listId} onSaved={goOn} action={say('events.save-and-go-on')} />
        <Button kind="quiet" onPress={goOn} text={say('events.skip-looks')} />
      </>
    );
  }
  if (step === 'embed') {
    return (
      <>
        <EmbedCode eventId={eventId} />
        <Button kind="primary" onPress={goOn} text={say('app.go-on')} />
      </>
    );
  }
  return (
    <>
      <TestGuest eventId={eventId} listId={listId} />
      <Notice tone="good" title={say('events.ready')} text={say('events.ready-help')} />
      <div className="svcd-row">
        <Button kind="primary" onPress={() => leaveTo('')} text={say('events.to-event')} />
        <Button onPress={() => leaveTo('/guests')} text={say('events.step-guests')} />
        <Button onPress={() => leaveTo('/doors')} text={say('events.step-door')} />
      </div>
    </>
  );
}
