import { Link as RouterLink, useLocation } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
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
  const strip = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  // On a narrow screen the strip scrolls, also on one that was turned.
  useEffect(() => {
    const shown = strip.current;
    if (shown === null) return;
    const watch = new ResizeObserver(() => {
      const current = shown.querySelector('[aria-current="page"]');
      if (current === null) return;
      const [box, whole] = [current.getBoundingClientRect(), shown.getBoundingClientRect()];
      shown.scrollLeft += box.left + box.width / 2 - (whole.left + whole.width / 2);
    });
    watch.observe(shown);
    return () => watch.disconnect();
  }, [pathname]);
  return (
    <nav className="svcd-tabs" aria-label={label} ref={strip}>
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
