import { Link as RouterLink } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { PageScope } from '../app/pages.ts';
import { useCan } from '../app/session.tsx';
import { propsOf, type Target } from './link.tsx';

export interface TabLink extends Target {
  readonly label: ReactNode;
  /** Not shown without it. */
  readonly scope?: PageScope;
}

/** The parts of a page that have an address each. @param label of the navigation */
export function TabLinks({ label, tabs }: { readonly label: string; readonly tabs: readonly TabLink[] }) {
  const can = useCan();
  return (
    <nav className="svcd-tabs" aria-label={label}>
      {tabs
        .filter(({ scope = null }) => can(scope))
        .map(({ label: text, scope: _, ...target }, index) => (
          <RouterLink key={target.to} {...propsOf(target)} className="svcd-tab" activeOptions={{ exact: index === 0 }}>
            {text}
          </RouterLink>
        ))}
    </nav>
  );
}
