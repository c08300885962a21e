import { directionOfLanguage } from '@svc/page-kit';
import { Button, CheckField, Notice } from '@svc/ui';
import { CalendarX, DoorOpen, ScanFace } from 'lucide';
import { useRef } from 'preact/hooks';
import { type BoxName, type ConsentStep, missingBoxes } from '../flow/state.ts';
import type { TextKey } from '../text/index.ts';
import { usePage, useSession } from './context.ts';
import { ContinueOnPhone, DeclineButton, dayOf, Lines, momentOf, Screen, WordingText } from './screen-parts.tsx';

/** What matters most, in three lines. */
function Summary() {
  const { say, language } = usePage();
  const { deleteAfter } = useSession();
  return (
    <Lines
      lines={[
        [ScanFace, say('consent.summary-photo')],
        [CalendarX, say('consent.summary-kept', { date: dayOf(deleteAfter, language) })],
        [DoorOpen, say('consent.summary-free')],
      ]}
    />
  );
}

/** The wording's information, unfolded in place. */
function Wording() {
  const { say } = usePage();
  const { wording, language } = useSession();
  return (
    <details class="full-text">
      <summary>{say('consent.full-text')}</summary>
      <div class="wording" lang={language} dir={directionOfLanguage(language)}>
        <p class="lead">
          <WordingText text={wording.introduction} />
        </p>
        {wording.sections.map(({ heading, text }) => (
          <section key={heading}>
            <h2>{heading}</h2>
            <p>
              <WordingText text={text} />
            </p>
          </section>
        ))}
        <p>
          <WordingText text={wording.withdraw} />
        </p>
      </div>
      <ValidUntil />
    </details>
  );
}

function ValidUntil() {
  const { say, language } = usePage();
  const { expiresAt } = useSession();
  return <p class="muted">{say('consent.valid-until', { time: momentOf(expiresAt, language, null) ?? '' })}</p>;
}

/** What a box that is not ticked says, to the person who has to tick it. */
export const missingText = (box: BoxName): TextKey =>
  box === 'guardianConsent' ? 'consent.missing-guardian' : 'consent.missing';

/** The boxes, each with its full sentence. */
function Boxes({ step: { boxes, asked } }: { readonly step: ConsentStep }) {
  const { say, dispatch } = usePage();
  const { wording } = useSession();
  const missing = missingBoxes(boxes);
  const box = (name: BoxName) => (
    <CheckField
      name={name}
      checked={boxes[name]}
      required={name !== 'under16'}
      problem={asked && missing.includes(name) ? say(missingText(name)) : null}
      onCheck={(ticked) => dispatch({ type: 'box-ticked', box: name, ticked })}
    >
      <WordingText text={wording.boxes[name]} />
    </CheckField>
  );
  return (
    <div class="decision">
      {box('explicitBiometricConsent')}
      {box('writtenRelease')}
      {box('under16')}
      {boxes.under16 ? <div class="guardian">{box('guardianConsent')}</div> : null}
    </div>
  );
}

/** Information and decision. Agreeing and declining take one press each, side by side, with the same look. */
export function ConsentScreen({ step }: { readonly step: ConsentStep }) {
  const { say, dispatch } = usePage();
  const { wording, brand } = useSession();
  const form = useRef<HTMLFormElement>(null);
  return (
    // The organiser's heading stands above the wording, all of which the ledger says was shown.
    <Screen name="consent" title={brand?.heading ?? wording.title}>
      {step.changed ? (
        <Notice tone="other" title={say('consent.changed')}>
          <p>{say('consent.changed-explain')}</p>
        </Notice>
      ) : null}
      <form
        ref={form}
        class="consent"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          dispatch({ type: 'consent-pressed' });
          const [first] = missingBoxes(step.boxes);
          if (first !== undefined) form.current?.querySelector<HTMLInputElement>(`[name="${first}"]`)?.focus();
        }}
      >
        <div class="information">
          {brand?.heading ? <h2>{wording.title}</h2> : null}
          <p>{brand?.benefit ?? say('consent.benefit')}</p>
          <Summary />
          <Wording />
        </div>
        <div class="side">
          <Boxes step={step} />
          <div class="choices">
            <Button kind="choice" type="submit">
              {say('consent.continue')}
            </Button>
            <DeclineButton kind="choice" />
          </div>
        </div>
      </form>
      <ContinueOnPhone />
    </Screen>
  );
}
