import { type LinkComponentProps, Link as RouterLink, useLocation } from '@tanstack/react-router';
import { ExternalLink as ExternalIcon, type IconNode } from 'lucide';
import type { ReactNode } from 'react';
import { say } from '../text/index.ts';
import { Icon } from './button.tsx';

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

/** A link to a page of the dashboard. */
export function Link({ className = 'svcd-link', children, ...target }: LinkProps) {
  return (
    <RouterLink {...propsOf(target)} className={className}>
      {children}
    </RouterLink>
  );
}

/** A link that looks like a button. */
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

/** A link to another site, in a new tab. */
export function OutsideLink({ href, children }: { readonly href: string; readonly children: ReactNode }) {
  return (
    <a className="svcd-link" href={href} target="_blank" rel="noreferrer">
      {children}
      <Icon of={ExternalIcon} />
      <span className="svc-visually-hidden">{say('app.new-tab')}</span>
    </a>
  );
}
