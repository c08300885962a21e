import { Icon } from '@svc/ui';
import { Check, Clock, Ticket } from 'lucide';
import { usePage, useSession } from '../app/context.ts';
import { dayOf, Screen, WordingText } from '../app/screen-parts.tsx';
import type { Ending, Step } from '../flow/state.ts';

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
  const { say } = usePage();
  const { organiserName: organiser } = useSession();
  return (
    <Screen name="declined" title={say('declined.title')}>
      <div class="badge" data-tone="neutral">
        <Icon of={Ticket} />
      </div>
      <p class="lead">{say('declined.next')}</p>
      <p class="muted">{say('declined.again', { organiser })}</p>
    </Screen>
  );
}

export function EndedScreen({ why }: { readonly why: Ending }) {
  const { say, session } = usePage();
  const organiser = session?.organiserName ?? say('ended.organiser');
  return (
    <Screen name="ended" title={say(`ended.${why}`)}>
      <div class="badge" data-tone="other">
        {why === 'expired' ? <Icon of={Clock} /> : <Icon of={Ticket} />}
      </div>
      <p class="lead">{say(`ended.${why}-do`, { organiser })}</p>
      <p>{say('ended.standard')}</p>
    </Screen>
  );
}
