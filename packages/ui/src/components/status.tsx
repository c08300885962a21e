import type { ComponentChildren } from 'preact';

/** Something is on its way; the words beside it say what. */
export function LoadingBar() {
  return <div class="svc-loading-bar" aria-hidden="true" />;
}

/**
 * Reads its text out when it changes. It has to be in the page before the text is: mount it once and change the text.
 */
export function LiveRegion({
  text,
  urgency = 'polite',
}: {
  readonly text: string;
  /** `assertive` interrupts: for what has to be done this second. */
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

/** Names and values, as many side by side as there is room for. */
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

/** Something to know before going on; the words carry the meaning, the colour only repeats it. */
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
