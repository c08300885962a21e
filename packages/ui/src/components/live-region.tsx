/** Reads its text out when it changes. It has to be in the page before the text is: mount it once and change the text. */
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
