import { Button, CheckField, Icon, Notice } from '@svc/ui';
import { directionOfLanguage } from '@svc/ui/text';
import { CalendarX, DoorOpen, ScanFace } from 'lucide';
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { usePage, useSession } from '../app/context.ts';
import { DeclineButton, dayOf, localeOf, Screen, WordingText } from '../app/screen-parts.tsx';
import { type BoxName, type ConsentStep, missingBoxes } from '../flow/state.ts';
import { ContinueOnPhone } from './continue-on-phone.tsx';

/** What matters most, in three lines. */
function Summary() {
  const { say, language } = usePage();
  const { deleteAfter } = useSession();
  return (
    <ul class="summary">
      <li>
        <Icon of={ScanFace} />
        <span>{say('consent.summary-photo')}</span>
      </li>
      <li>
        <Icon of={CalendarX} />
        <span>{say('consent.summary-kept', { date: dayOf(deleteAfter, language) })}</span>
      </li>
      <li>
        <Icon of={DoorOpen} />
        <span>{say('consent.summary-free')}</span>
      </li>
    </ul>
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
      </div>
    </details>
  );
}

/** What stays in view may take this share of the window's height. */
const STICKY_SHARE = 0.4;

/**
 * Keeps the decision in view at the bottom of the window: all of it, else its two buttons, else nothing, so that there
 * is room to read. Does nothing in a frame, which is as tall as its page.
 */
function useSticky(form: RefObject<HTMLFormElement | null>, choices: RefObject<HTMLDivElement | null>): void {
  useLayoutEffect(() => {
    const [whole, part] = [form.current, choices.current];
    const root = document.documentElement;
    if (whole === null || part === null) return;
    function arrange(): void {
      if (whole === null || part === null) return;
      const room = innerHeight * STICKY_SHARE;
      const shown = [whole, part].find(({ offsetHeight }) => offsetHeight <= room);
      whole.dataset.sticky = shown === whole ? 'whole' : shown === part ? 'choices' : 'none';
      // What has the focus is scrolled to where it is not covered.
      root.style.scrollPaddingBlockEnd = shown === undefined ? '' : `${shown.offsetHeight}px`;
    }
    const observer = new ResizeObserver(arrange);
    observer.observe(whole);
    addEventListener('resize', arrange);
    arrange();
    return () => {
      observer.disconnect();
      removeEventListener('resize', arrange);
      root.style.scrollPaddingBlockEnd = '';
    };
  }, [form, choices]);
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
  const choices = useRef<HTMLDivElement>(null);
  useSticky(form, choices);
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
      <div class="choices" ref={choices}>
        <Button kind="choice" type="submit">
          {say('consent.continue')}
        </Button>
        <DeclineButton kind="choice" />
      </div>
    </form>
  );
}

export function ConsentScreen({ step }: { readonly step: ConsentStep }) {
  const { say, link } = usePage();
  const { wording, brand } = useSession();
  return (
    // The organiser's heading stands above the wording, all of which the ledger says was shown.
    <Screen name="consent" title={brand?.heading ?? wording.title}>
      {step.changed ? (
        <Notice tone="other" title={say('consent.changed')}>
          <p>{say('consent.changed-explain')}</p>
        </Notice>
      ) : null}
      <div class="consent">
        <div class="information">
          {brand?.heading ? <h2 class="wording-title">{wording.title}</h2> : null}
          <Summary />
          <Wording />
          <ValidUntil />
        </div>
        <Decision step={step} />
      </div>
      {link === null ? null : <ContinueOnPhone link={link} />}
    </Screen>
  );
}
