import { type LinkComponentProps, Link as RouterLink, useLocation } from '@tanstack/react-router';
import { ArrowLeft, ExternalLink as ExternalIcon, type IconNode, LogOut, Send } from 'lucide';
import { createElement, type ReactNode, type Ref } from 'react';
import { Button as AriaButton } from 'react-aria-components/Button';
import { say } from '../text/index.ts';

/** They point along the text, which may run from the right to the left. */
const alongText: readonly IconNode[] = [ArrowLeft, ExternalIcon, LogOut, Send];

/** A Lucide icon in the colour and size of its text; hidden from screen readers, as it stands beside the same in words. */
export function Icon({ of }: { readonly of: IconNode }) {
  return (
    <svg className="svcd-icon" viewBox="0 0 24 24" aria-hidden="true" data-along-text={alongText.includes(of)}>
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
  readonly hasMenu?: boolean;
  /** Its action runs: shown, and not pressable, but it keeps the focus. */
  readonly isBusy?: boolean;
  readonly onPress?: () => void;
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

/** An address below `/dashboard`, with the parameters of its path. */
export interface Target {
  /** In the router's syntax: `/events/$eventId/people`. */
  readonly to: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly search?: Readonly<Record<string, unknown>>;
}

/** As properties of the router's link. The table of pages is data, so the router has no types of it. */
export const propsOf = (target: Target) => target as unknown as LinkComponentProps<'a'>;

export interface LinkProps extends Target {
  readonly className?: string;
  readonly children: ReactNode;
}

export function Link({ className = 'svcd-link', children, ...target }: LinkProps) {
  return (
    <RouterLink {...propsOf(target)} className={className}>
      {children}
    </RouterLink>
  );
}

export function ButtonLink({
  kind = 'secondary',
  icon,
  text,
  ...target
}: Target & { readonly kind?: 'primary' | 'secondary'; readonly icon?: IconNode; readonly text: string }) {
  return (
    <RouterLink {...propsOf(target)} className="svcd-button" data-kind={kind} data-size="normal">
      {icon !== undefined && <Icon of={icon} />}
      <span>{text}</span>
    </RouterLink>
  );
}

/** A link of the navigation; it knows when its page, or one below it, is shown. Events lie below the first page. */
export function NavLink({
  icon,
  children,
  ...target
}: Target & { readonly icon?: IconNode | undefined; readonly children: ReactNode }) {
  const isOfEvent = useLocation({ select: ({ pathname }) => pathname.startsWith('/events/') });
  const isFirst = target.to === '/';
  return (
    <RouterLink
      {...propsOf(target)}
      className={isFirst && isOfEvent ? 'svcd-nav-link active' : 'svcd-nav-link'}
      activeOptions={{ exact: isFirst }}
    >
      {icon !== undefined && <Icon of={icon} />}
      <span>{children}</span>
    </RouterLink>
  );
}

export function OutsideLink({ href, children }: { readonly href: string; readonly children: ReactNode }) {
  return (
    <a className="svcd-link" href={href} target="_blank" rel="noreferrer">
      {children}
      <Icon of={ExternalIcon} />
      <span className="svc-visually-hidden">{say('app.new-tab')}</span>
    </a>
  );
}
