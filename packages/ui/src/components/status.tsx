import type { ComponentChildren } from 'preact';

/** Progress of unknown length; the text beside it says of what. */
export function LoadingBar() {
  return <div class="svc-loading-bar" aria-hidden="true" />;
}

/** Announces its text when it changes. Mount it before there is a text, and then change the text. */
export function LiveRegion({
  text,
  urgency = 'polite',
}: {
  readonly text: string;
  /** `assertive` interrupts the screen reader: for urgent instructions. */
  readonly urgency?: 'polite' | 'assertive';
}) {
  return (
    <div class="svc-visually-hidden" aria-live={urgency} aria-atomic="true">
      {text}
    </div>
  );
}

export interface Fact {
  readonly name: string;
  readonly value: string;
}

export function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl class="svc-facts">
      {facts.map(({ name, value }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Information to read before continuing. The text carries the meaning, the colour only repeats it. */
export function Notice({
  tone = 'neutral',
  title,
  children,
}: {
  readonly tone?: 'neutral' | 'good' | 'other' | 'bad';
  readonly title: string;
  readonly children?: ComponentChildren;
}) {
  return (
    <div class="svc-notice" data-tone={tone}>
      <p class="svc-notice-title">{title}</p>
      {children === undefined ? null : <div>{children}</div>}
    </div>
  );
}
