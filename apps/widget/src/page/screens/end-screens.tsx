import { Button, Icon, LoadingBar } from '@svc/ui';
import { Check, Clock, Ticket, Undo2 } from 'lucide';
import type { Ending, Step, Trouble } from '../flow/state.ts';
import type { TextKey } from '../text/index.ts';
import { usePage, useSession } from './context.ts';
import { dayOf, Screen, TroubleNotice, WordingText } from './screen-parts.tsx';

export function DecliningScreen({ step }: { readonly step: Extract<Step, { name: 'declining' }> }) {
  const { say, dispatch } = usePage();
  // It is unknown whether a photo whose answer was lost has arrived.
  const isSafe = step.back.name !== 'sending';
  return (
    <Screen name="declining" title={say('declining.title')}>
      {step.trouble === null ? <LoadingBar /> : null}
      <TroubleNotice trouble={step.trouble} explain={isSafe ? say('trouble.not-enrolled') : null}>
        <Button kind="quiet" onPress={() => dispatch({ type: 'back-pressed' })}>
          {say('trouble.back')}
        </Button>
      </TroubleNotice>
    </Screen>
  );
}

export function LoadingScreen({
  name = 'loading',
  trouble,
}: {
  readonly name?: 'loading' | 'undoing';
  readonly trouble: Trouble | null;
}) {
  const { say } = usePage();
  return (
    <Screen name={name} title={say('loading.title')}>
      {trouble === null ? <LoadingBar /> : null}
      <TroubleNotice trouble={trouble} />
    </Screen>
  );
}

export function DoneScreen({ step }: { readonly step: Extract<Step, { name: 'done' }> }) {
  const { say, language, link } = usePage();
  const { wording } = useSession();
  return (
    <Screen name="done" title={say('done.title')}>
      <div class="badge" data-tone="good">
        <Icon of={Check} />
      </div>
      <p class="lead">{say('done.next')}</p>
      <p>{say('done.kept', { date: dayOf(step.deleteAfter, language) })}</p>
      <div class="card">
        <h2>{say('done.withdraw')}</h2>
        {step.tooLate ? <p>{say('done.too-late')}</p> : null}
        <p>
          <WordingText text={wording.withdraw} />
        </p>
      </div>
      {link === null ? null : <p class="muted">{say('done.close')}</p>}
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

/** Text of an ending's heading. */
export function endingTitle(why: Ending): TextKey {
  if (why === 'enrolled') return 'done.title';
  return why === 'declined' ? 'declined.title' : `ended.${why}`;
}

export function EndedScreen({ step: { why, about } }: { readonly step: Extract<Step, { name: 'ended' }> }) {
  const { say, organiser: known, language } = usePage();
  const organiser = known?.organiserName ?? say('ended.organiser');
  const deleteAfter = why === 'enrolled' ? about?.deleteAfter : undefined;
  return (
    <Screen name="ended" title={say(endingTitle(why))}>
      <div class="badge" data-tone={tones[why] ?? 'other'}>
        <Icon of={why === 'enrolled' ? Check : why === 'expired' ? Clock : Ticket} />
      </div>
      <p class="lead">{say(`ended.${why}-do`, { organiser })}</p>
      {deleteAfter === undefined ? (
        <p>{say('ended.standard')}</p>
      ) : (
        <>
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
