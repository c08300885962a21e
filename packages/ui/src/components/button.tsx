import type { IconNode } from 'lucide';
import { type ComponentChildren, h, type TargetedMouseEvent } from 'preact';

/**
 * A Lucide icon in the colour and size of its text. Hidden from screen readers, because it stands beside text that says
 * the same.
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
  /** `primary` at most once on a screen; `choice` for several equal options side by side. Default `secondary`. */
  readonly kind?: 'primary' | 'secondary' | 'quiet' | 'danger' | 'choice';
  readonly type?: 'button' | 'submit';
  /** Inactive, but still visible and focusable, because removing a control would lose the focus. */
  readonly busy?: boolean;
  readonly onPress?: () => void;
  readonly pressed?: boolean;
  /** Gets the focus when its dialog opens. */
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
