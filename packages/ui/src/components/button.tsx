import type { IconNode } from 'lucide';
import { type ComponentChildren, h, type TargetedMouseEvent } from 'preact';

/**
 * One of Lucide's icons in the colour and the size of its text. Beside words that say the same: hidden from screen
 * readers.
 */
export function Icon({ of }: { readonly of: IconNode }) {
  return (
    <svg
      class="svc-icon"
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width="2"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      {of.map(([tag, attributes]) => h(tag, attributes))}
    </svg>
  );
}

export interface ButtonProps {
  /**
   * `primary` at most once on a screen; `choice` where several stand side by side and none is recommended. Default
   * `secondary`.
   */
  readonly kind?: 'primary' | 'secondary' | 'quiet' | 'danger' | 'choice';
  readonly type?: 'button' | 'submit';
  /** Stays where it is and can have the focus, but does nothing: a control that vanishes takes the focus with it. */
  readonly busy?: boolean;
  readonly onPress?: () => void;
  readonly pressed?: boolean;
  /** Has the focus when its dialog opens. */
  readonly autoFocus?: boolean;
  readonly children: ComponentChildren;
}

export function Button({
  kind = 'secondary',
  type = 'button',
  busy = false,
  onPress,
  pressed,
  autoFocus,
  children,
}: ButtonProps) {
  const press = (event: TargetedMouseEvent<HTMLButtonElement>) => {
    if (busy) event.preventDefault();
    else onPress?.();
  };
  return (
    <button
      type={type}
      class="svc-button"
      data-kind={kind}
      aria-disabled={busy ? 'true' : undefined}
      aria-pressed={pressed}
      autofocus={autoFocus}
      onClick={press}
    >
      {children}
    </button>
  );
}
