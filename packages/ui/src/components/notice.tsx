import type { ComponentChildren } from 'preact';

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
