import { watchSize } from '@svc/page-kit';
import {
  type AnyRoute,
  type AnyRouter,
  Outlet,
  Link as RouterLink,
  useLocation,
  useMatch,
  useRouter,
} from '@tanstack/react-router';
import type { IconNode } from 'lucide';
import { type ComponentType, createContext, useContext, useEffect, useRef } from 'react';
import { type Right, useCan } from '../api/hooks.ts';
import { say, type TextKey } from '../text/index.ts';
import { Empty, PageHeader, type PageHeaderProps } from './blocks.tsx';
import { propsOf } from './controls.tsx';
import { Unread } from './status.tsx';

/** The list that a tab of an event's or a list's page shows. */
export interface CurrentList {
  /** Null for an event that has none yet. */
  readonly listId: string | null;
  /** Null for an ongoing list. */
  readonly eventId: string | null;
}

const CurrentListContext = createContext<CurrentList | null>(null);

/** A hook for tabs that an event's page and a list's page share. */
export function useCurrentList(): CurrentList {
  const current = useContext(CurrentListContext);
  if (current === null) throw new Error('outside of the page of an event or a list');
  return current;
}

/** A tab of a list, which says what is missing where the event has none yet. */
export function listTab(
  icon: IconNode,
  title: TextKey,
  help: TextKey,
  Tab: ComponentType<{ readonly listId: string }>,
) {
  return function ListTab() {
    const { listId } = useCurrentList();
    if (listId === null) return <Empty icon={icon} title={say(title)} text={say(help)} />;
    return <Tab key={listId} listId={listId} />;
  };
}

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** The page's line in the table of pages. */
    readonly page?: { readonly title: TextKey; readonly scope: Right; readonly isUnlisted?: boolean };
  }
}

/** The tabs of the page that is drawn, as far as the person has the right to see them. @param label of the navigation */
function TabLinks({ label }: { readonly label: string }) {
  const can = useCan();
  const { routesById } = useRouter() as AnyRouter;
  const { routeId, params } = useMatch({ strict: false });
  const strip = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  // On a narrow screen the strip scrolls, also on one that was turned.
  useEffect(() => {
    const shown = strip.current;
    if (shown === null) return;
    return watchSize(shown, () => {
      const current = shown.querySelector('[aria-current="page"]');
      if (current === null) return;
      const [box, whole] = [current.getBoundingClientRect(), shown.getBoundingClientRect()];
      shown.scrollLeft += box.left + box.width / 2 - (whole.left + whole.width / 2);
    });
  }, [pathname]);
  const tabs = Object.values((routesById[routeId] as AnyRoute).children as readonly AnyRoute[]);
  return (
    <nav className="svcd-tabs" aria-label={label} ref={strip}>
      {tabs.map(({ id, path, fullPath, options }) => {
        const page = options.staticData?.page;
        if (page === undefined || page.isUnlisted === true || !can(page.scope)) return null;
        const target = propsOf({ to: fullPath.replace(/\/$/, ''), params: params as Record<string, string> });
        return (
          <RouterLink key={id} {...target} className="svcd-tab" activeOptions={{ exact: path === '/' }}>
            {say(page.title)}
          </RouterLink>
        );
      })}
    </nav>
  );
}

export function TabbedPage({ current, ...header }: PageHeaderProps & { readonly current: CurrentList }) {
  return (
    <CurrentListContext.Provider value={current}>
      <PageHeader {...header} />
      <TabLinks label={header.title} />
      <Outlet />
    </CurrentListContext.Provider>
  );
}

export function UnreadPage({ query, ...header }: PageHeaderProps & Parameters<typeof Unread>[0]) {
  return (
    <>
      <PageHeader {...header} />
      <Unread query={query} />
    </>
  );
}
