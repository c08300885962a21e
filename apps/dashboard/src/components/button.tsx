import type { IconNode } from 'lucide';
import { createElement, type Ref } from 'react';
import { Button as AriaButton } from 'react-aria-components/Button';
import { say } from '../text/index.ts';

/** A Lucide icon in the colour and size of its text; hidden from screen readers, as it stands beside the same in words. */
export function Icon({ of }: { readonly of: IconNode }) {
  return (
    <svg className="svcd-icon" viewBox="0 0 24 24" aria-hidden="true">
      {of.map(([tag, attributes], index) => createElement(tag, { key: index, ...attributes }))}
    </svg>
  );
}

export interface ButtonProps {
  /** `primary` at most once in a view; `danger` for what deletes. Default `secondary`. */
  readonly kind?: 'primary' | 'secondary' | 'quiet' | 'danger';
  readonly type?: 'button' | 'submit';
  /** Id of the form that it submits, if it stands outside. */
  readonly form?: string;
  readonly size?: 'small' | 'normal';
  readonly icon?: IconNode | undefined;
  /** None: it shows its icon alone. */
  readonly text?: string;
  /** Name for screen readers, where the text alone does not tell. */
  readonly label?: string;
  readonly isDisabled?: boolean;
  /** Of a button that shows and hides something: whether it is shown. */
  readonly isExpanded?: boolean;
  /** It opens a menu. */
  readonly hasMenu?: boolean;
  /** Its action runs: shown, and not pressable, but it keeps the focus. */
  readonly isBusy?: boolean;
  readonly onPress?: () => void;
  /** Closes the dialog around it with `close`. */
  readonly slot?: 'close';
  readonly autoFocus?: boolean;
  readonly ref?: Ref<HTMLButtonElement>;
}

export function Button({
  kind = 'secondary',
  size = 'normal',
  icon,
  text,
  label,
  isBusy = false,
  isExpanded,
  hasMenu = false,
  ...o
}: ButtonProps) {
  return (
    <AriaButton
      {...o}
      {...(label === undefined ? {} : { 'aria-label': label })}
      {...(isExpanded === undefined ? {} : { 'aria-expanded': isExpanded })}
      {...(hasMenu ? { 'aria-haspopup': 'menu' } : {})}
      className="svcd-button"
      data-kind={kind}
      data-size={size}
      data-shape={text === undefined ? 'icon' : 'text'}
      isPending={isBusy}
    >
      {icon !== undefined && <Icon of={icon} />}
      {text !== undefined && <span>{text}</span>}
      {isBusy && <span className="svcd-spinner" role="progressbar" aria-label={say('app.working')} />}
    </AriaButton>
  );
}
