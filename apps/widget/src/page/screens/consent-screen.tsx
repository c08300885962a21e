import { Button, CheckField, Notice } from '@svc/ui';
import { directionOfLanguage } from '@svc/ui/text';
import { useRef } from 'preact/hooks';
import { usePage, useSession } from '../app/context.ts';
import { DeclineButton, localeOf, Screen, WordingText } from '../app/screen-parts.tsx';
import { type BoxName, type ConsentStep, missingBoxes } from '../flow/state.ts';
import { ContinueOnPhone } from './continue-on-phone.tsx';

/** The wording's information, all of it visible without opening anything. */
function Wording() {
  const { wording, language } = useSession();
  return (
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
    </div>
  );
}

function ValidUntil() {
  const { say, language } = usePage();
  const { expiresAt } = useSession();
  const moment = new Intl.DateTimeFormat(localeOf(language), { dateStyle: 'medium', timeStyle: 'short' });
  return <p class="muted">{say('consent.valid-until', { time: moment.format(new Date(expiresAt)) })}</p>;
}

/** Agreeing and declining: one press each, side by side, with the same look. */
function Decision({ step }: { readonly step: ConsentStep }) {
  const { say, dispatch } = usePage();
  const { wording } = useSession();
  const form = useRef<HTMLFormElement>(null);
  const { boxes, asked } = step;
  const missing = missingBoxes(boxes);

  const box = (name: BoxName) => (
    <CheckField
      name={name}
      checked={boxes[name]}
      required={name !== 'under16'}
      problem={
        asked && missing.includes(name)
          ? say(name === 'guardianConsent' ? 'consent.missing-guardian' : 'consent.missing')
          : null
      }
      onCheck={(ticked) => dispatch({ type: 'box-ticked', box: name, ticked })}
    >
      <WordingText text={wording.boxes[name]} />
    </CheckField>
  );

  return (
    <form
      ref={form}
      class="decision"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        dispatch({ type: 'consent-pressed' });
        const [first] = missing;
        if (first !== undefined) form.current?.querySelector<HTMLInputElement>(`[name="${first}"]`)?.focus();
      }}
    >
      <h2>{say('consent.boxes')}</h2>
      {box('explicitBiometricConsent')}
      {box('writtenRelease')}
      {box('under16')}
      {boxes.under16 ? <div class="guardian">{box('guardianConsent')}</div> : null}
      <p class="muted">
        <WordingText text={wording.withdraw} />
      </p>
      <div class="choices">
        <Button kind="choice" type="submit">
          {say('consent.continue')}
        </Button>
        <DeclineButton kind="choice" />
      </div>
      <ValidUntil />
    </form>
  );
}

export function ConsentScreen({ step }: { readonly step: ConsentStep }) {
  const { say, link } = usePage();
  const { wording } = useSession();
  return (
    <Screen name="consent" title={wording.title}>
      {step.changed ? (
        <Notice tone="other" title={say('consent.changed')}>
          <p>{say('consent.changed-explain')}</p>
        </Notice>
      ) : null}
      <div class="consent">
        <Wording />
        <Decision step={step} />
      </div>
      {link === null ? null : <ContinueOnPhone link={link} />}
    </Screen>
  );
}
