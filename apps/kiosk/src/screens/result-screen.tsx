import { Button, ScreenFrame } from '@svc/ui';
import { Check, type IconNode, Ticket, User } from 'lucide';
import { h } from 'preact';
import { type TextKey, timeOf } from '../text/index.ts';
import { reasonText } from '../text/reasons.ts';
import type { Advice, ScreenOf } from '../view-model/screen.ts';
import { useKiosk } from './context.ts';
import { Viewfinder } from './scan-screen.tsx';

/** A result's sign: the outline is told apart from further away than what is drawn on it. */
interface Sign {
  /** Filled, in a square of 100. */
  readonly outline: IconNode;
  /** Drawn on the outline in lines, in a square of 24. */
  readonly figure: IconNode;
}

const exclamationMark: IconNode = [
  ['path', { d: 'M12 5v9' }],
  ['path', { d: 'M12 19v.01' }],
];

const signs: Readonly<Record<Advice, Sign>> = {
  'let-in': { outline: [['circle', { cx: 50, cy: 50, r: 48 }]], figure: Check },
  'already-let-in': { outline: [['path', { d: 'M50 8 95 88H5z' }]], figure: exclamationMark },
  'standard-check-in': { outline: [['rect', { x: 5, y: 5, width: 90, height: 90, rx: 12 }]], figure: Ticket },
  'call-staff': { outline: [['path', { d: 'M31 4h38l27 27v38L69 96H31L4 69V31z' }]], figure: User },
};

const draw = (node: IconNode) => node.map(([tag, attributes]) => h(tag, attributes));

function SignOf({ advice }: { readonly advice: Advice }) {
  const { outline, figure } = signs[advice];
  // The middle of a triangle lies lower.
  const place = advice === 'already-let-in' ? 'translate(26 36) scale(2)' : 'translate(20 20) scale(2.5)';
  return (
    <svg class="sign" viewBox="0 0 100 100" aria-hidden="true">
      <g class="sign-outline">{draw(outline)}</g>
      <g class="sign-figure" transform={place}>
        {draw(figure)}
      </g>
    </svg>
  );
}

/** Number of characters of a text's longest word, for the size of the letters. */
const longestWord = (text: string): number => Math.max(...text.split(/[\s-]+/).map(({ length }) => length));

type ResultProps = ScreenOf<'result'>;

/** What the person does next. */
function nextText({ advice, checksIn }: ResultProps): TextKey {
  if (advice === 'already-let-in') return 'reason.already-let-in';
  return advice === 'let-in' && checksIn ? 'result.checked-in-next' : `result.${advice}-next`;
}

/** For staff, who may let a person in again whom the list's policy refuses. */
function TakeBackAdmission({ takeBack }: { readonly takeBack: ResultProps['takeBack'] }) {
  const { say, dispatch } = useKiosk();
  if (takeBack === 'none') return null;
  return (
    <>
      <p class="result-reason" role="status">
        {takeBack === 'done' || takeBack === 'failed' ? say(`result.take-back-${takeBack}`) : ''}
      </p>
      {takeBack === 'done' ? null : (
        <Button busy={takeBack === 'busy'} onPress={() => dispatch({ type: 'take-back-pressed' })}>
          {say('result.take-back')}
        </Button>
      )}
    </>
  );
}

/**
 * The result, for the person first and for staff below. It fills the screen in its own colour; outline, words and
 * colour each say it alone.
 */
export function ResultScreen(shown: ResultProps) {
  const { verdict, advice, letInAtMs, letInAt, takeBack } = shown;
  const { say, locale, preferences, dispatch } = useKiosk();
  const title = say(`result.${advice}`);
  const reason = reasonText(verdict.reason);
  const time = letInAtMs === null ? '' : timeOf(locale, letInAtMs);
  const at = { time: letInAt === null ? time : `${time}, ${letInAt}` };
  return (
    <ScreenFrame name="result" title={title} style={{ '--longest': longestWord(title) }}>
      <SignOf advice={advice} />
      <div class="result-words" role="status" data-outcome={verdict.outcome} data-advice={advice}>
        <p class="result-next">{say(nextText(shown), at)}</p>
        {reason === null ? null : <p class="result-reason">{say(reason, at)}</p>}
      </div>
      <div class="svc-actions result-foot">
        <TakeBackAdmission takeBack={takeBack} />
        <Button onPress={() => dispatch({ type: 'next-pressed' })}>{say('result.next')}</Button>
      </div>
      {preferences.codeCamera === 'none' ? null : <Viewfinder isHidden />}
    </ScreenFrame>
  );
}
