import type { Verdict } from '@svc/device-sdk';
import { Button, Icon, ScreenFrame } from '@svc/ui';
import { Check, Ticket, User } from 'lucide';
import { useKiosk } from '../app/context.ts';
import { reasonText } from '../text/reasons.ts';
import { adviceFor } from '../view-model/advice.ts';

const tones = { 'let-in': 'good', 'standard-check-in': 'other', 'call-staff': 'staff' } as const;
const icons = { 'let-in': Check, 'standard-check-in': Ticket, 'call-staff': User } as const;

/** What comes of it, for the person first and for staff below. Words, sign and colour say the same. */
export function ResultScreen({ verdict }: { readonly verdict: Verdict }) {
  const { say, dispatch } = useKiosk();
  const advice = adviceFor[verdict.outcome];
  const reason = reasonText[verdict.reason];
  return (
    <ScreenFrame name="result" title={say(`result.${advice}`)}>
      <div class="badge" data-tone={tones[advice]}>
        <Icon of={icons[advice]} />
      </div>
      <div class="result-words" role="status" data-outcome={verdict.outcome} data-advice={advice}>
        <p class="lead">{say(`result.${advice}-next`)}</p>
        {reason === null ? null : <p class="muted">{say(reason)}</p>}
      </div>
      <Button onPress={() => dispatch({ type: 'next-pressed' })}>{say('result.next')}</Button>
    </ScreenFrame>
  );
}
