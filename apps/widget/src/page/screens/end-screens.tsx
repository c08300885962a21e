import { Button, Icon } from '@svc/ui';
import { Calendar, Check, Clock, MapPin, Ticket, Undo2 } from 'lucide';
import type { Ending, StepOf } from '../flow/state.ts';
import type { TextKey } from '../text/index.ts';
import { usePage, useSession } from './context.ts';
import { dayOf, Lines, momentOf, Screen, Waiting, WordingText } from './screen-parts.tsx';

export function DecliningScreen({ step }: { readonly step: StepOf<'declining'> }) {
  const { say, dispatch } = usePage();
  // It is unknown whether a photo whose answer was lost has arrived.
  const isSafe = step.back.name !== 'sending';
  return (
    <Screen name="declining" title={say('declining.title')}>
      <Waiting trouble={step.trouble} explain={isSafe ? say('trouble.not-enrolled') : null}>
        <Button kind="quiet" onPress={() => dispatch({ type: 'back-pressed' })}>
          {say('trouble.back')}
        </Button>
      </Waiting>
    </Screen>
  );
}

export function LoadingScreen({ step: { name, trouble } }: { readonly step: StepOf<'loading' | 'undoing'> }) {
  const { say } = usePage();
  return (
    <Screen name={name} title={say('loading.title')}>
      <Waiting trouble={trouble} />
    </Screen>
  );
}

/** For a picture of the screen to be of use on the evening: what, when and where. */
function EventCard() {
  const { organiser, language } = usePage();
  if (organiser?.event === undefined) return null;
  const { startsAt, timeZone, place } = organiser.event;
  return (
    <div class="card">
      <Lines
        lines={[
          [Ticket, organiser.eventName],
          [Calendar, momentOf(startsAt, language, timeZone)],
          [MapPin, place],
        ]}
      />
    </div>
  );
}

/** Where nobody was enrolled: it promises nothing about a face, and the header says why. */
function TestDone({ name }: { readonly name: 'done' | 'ended' }) {
  const { say } = usePage();
  return (
    <Screen name={name} title={say('page.step-done')}>
      <div class="badge" data-tone="neutral">
        <Icon of={Check} />
      </div>
    </Screen>
  );
}

export function DoneScreen({ step }: { readonly step: StepOf<'done'> }) {
  const { say, language } = usePage();
  const { wording, mode } = useSession();
  if (mode === 'test') return <TestDone name="done" />;
  return (
    <Screen name="done" title={say('done.title')}>
      <div class="badge" data-tone="good">
        <Icon of={Check} />
      </div>
      <p class="lead">{say('done.next')}</p>
      <EventCard />
      <p>{say('done.kept', { date: dayOf(step.deleteAfter, language) })}</p>
      <div class="card">
        <h2>{say('done.withdraw')}</h2>
        {step.tooLate ? <p>{say('done.too-late')}</p> : null}
        <p>
          <WordingText text={wording.withdraw} />
        </p>
      </div>
    </Screen>
  );
}

export function DeclinedScreen() {
  const { say, dispatch } = usePage();
  const { organiserName: organiser } = useSession();
  return (
    <Screen name="declined" title={say('declined.title')}>
      <div class="badge" data-tone="neutral">
        <Icon of={Ticket} />
      </div>
      <p class="lead">{say('declined.next')}</p>
      <Button onPress={() => dispatch({ type: 'undo-pressed' })}>
        <Icon of={Undo2} />
        <span>{say('declined.undo')}</span>
      </Button>
      <p class="muted">{say('declined.again', { organiser })}</p>
    </Screen>
  );
}

/** Endings at which nothing went wrong. */
const tones: Partial<Readonly<Record<Ending, 'good' | 'neutral'>>> = { enrolled: 'good', declined: 'neutral' };

export function EndedScreen({ step: { why, about } }: { readonly step: StepOf<'ended'> }) {
  const { say, organiser: known, language } = usePage();
  const organiser = known?.organiserName ?? say('ended.organiser');
  if (why === 'enrolled' && known?.mode === 'test') return <TestDone name="ended" />;
  const deleteAfter = why === 'enrolled' ? about?.deleteAfter : undefined;
  const title: TextKey = why === 'enrolled' ? 'done.title' : why === 'declined' ? 'declined.title' : `ended.${why}`;
  return (
    <Screen name="ended" title={say(title)}>
      <div class="badge" data-tone={tones[why] ?? 'other'}>
        <Icon of={why === 'enrolled' ? Check : why === 'expired' ? Clock : Ticket} />
      </div>
      <p class="lead">{say(why === 'declined' ? 'declined.again' : `ended.${why}-do`, { organiser })}</p>
      {deleteAfter === undefined ? (
        <p>{say('ended.standard')}</p>
      ) : (
        <>
          <EventCard />
          <p>{say('done.kept', { date: dayOf(deleteAfter, language) })}</p>
          <div class="card">
            <h2>{say('done.withdraw')}</h2>
            <p>{say('ended.withdraw', { organiser })}</p>
          </div>
        </>
      )}
    </Screen>
  );
}
