import type { ComponentChildren, TargetedMouseEvent } from 'preact';

export interface ButtonProps {
  /** `primary` at most once on a screen; `choice` where several stand side by side and none is recommended. Default `secondary`. */
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
