import type { ApiKeyScope } from '@svc/protocol/endpoints';
import { lazyRouteComponent } from '@tanstack/react-router';
import {
  Activity,
  CalendarDays,
  ClipboardList,
  Gauge,
  type IconNode,
  KeyRound,
  ListChecks,
  UsersRound,
  Webhook,
} from 'lucide';
import type { ComponentType } from 'react';
import type { TextKey } from '../text/index.ts';

/** A right that a page needs; null for none. */
export type PageScope = ApiKeyScope | null;

interface Place {
  /** Below `/dashboard`, in TanStack Router's syntax; of a tab, below its page. */
  readonly path: string;
  /** In the navigation, and of the document while the page says nothing better. */
  readonly title: TextKey;
  /** Without it the page says which role has it. */
  readonly scope: PageScope;
  readonly component: ComponentType;
}

export interface PageEntry extends Place {
  readonly nav?: { readonly icon: IconNode; readonly group: 'work' | 'connect' | 'account' };
  /** Pages within a page, which shows them where its `Outlet` stands; the one with the path `/` first. */
  readonly tabs?: readonly Place[];
}

const listTabs = [
  {
    path: 'people',
    title: 'people.tab',
    scope: 'people:read',
    component: lazyRouteComponent(() => import('../features/people/people-tab.tsx'), 'PeopleTab'),
  },
  {
    path: 'doors',
    title: 'doors.tab',
    scope: 'devices:read',
    component: lazyRouteComponent(() => import('../features/doors/doors-tab.tsx'), 'DoorsTab'),
  },
] as const;

const importTab = {
  path: 'import',
  title: 'import.tab',
  scope: 'people:write',
  component: lazyRouteComponent(() => import('../features/import/import-tab.tsx'), 'ImportTab'),
} as const;

/** Every page behind the sign-in. A page is a line here, its component, and its texts. */
export const pages: readonly PageEntry[] = [
  {
    path: '/',
    title: 'events.title',
    scope: 'events:read',
    nav: { icon: CalendarDays, group: 'work' },
    component: lazyRouteComponent(() => import('../features/events/events-page.tsx'), 'EventsPage'),
  },
  {
    path: '/events/new',
    title: 'events.new',
    scope: 'events:write',
    component: lazyRouteComponent(() => import('../features/events/new-event-page.tsx'), 'NewEventPage'),
  },
  {
    path: '/events/$eventId',
    title: 'events.event',
    scope: 'events:read',
    component: lazyRouteComponent(() => import('../features/events/event-page.tsx'), 'EventPage'),
    tabs: [
      {
        path: '/',
        title: 'events.overview',
        scope: 'events:read',
        component: lazyRouteComponent(() => import('../features/events/overview-tab.tsx'), 'OverviewTab'),
      },
      {
        path: 'guests',
        title: 'guests.tab',
        scope: 'people:read',
        component: lazyRouteComponent(() => import('../features/guests/guests-tab.tsx'), 'GuestsTab'),
      },
      ...listTabs,
      importTab,
      {
        path: 'looks',
        title: 'events.looks',
        scope: 'events:read',
        component: lazyRouteComponent(() => import('../features/events/looks-tab.tsx'), 'LooksTab'),
      },
      {
        path: 'settings',
        title: 'events.settings',
        scope: 'events:read',
        component: lazyRouteComponent(() => import('../features/events/settings-tab.tsx'), 'SettingsTab'),
      },
    ],
  },
  {
    path: '/lists',
    title: 'lists.title',
    scope: 'lists:read',
    nav: { icon: ListChecks, group: 'work' },
    component: lazyRouteComponent(() => import('../features/lists/lists-page.tsx'), 'ListsPage'),
  },
  {
    path: '/lists/new',
    title: 'lists.new',
    scope: 'lists:write',
    component: lazyRouteComponent(() => import('../features/lists/new-list-page.tsx'), 'NewListPage'),
  },
  {
    path: '/lists/$listId',
    title: 'lists.list',
    scope: 'lists:read',
    component: lazyRouteComponent(() => import('../features/lists/list-page.tsx'), 'ListPage'),
    tabs: [
      {
        path: '/',
        title: 'lists.overview',
        scope: 'lists:read',
        component: lazyRouteComponent(() => import('../features/lists/list-overview-tab.tsx'), 'ListOverviewTab'),
      },
      ...listTabs,
      importTab,
      {
        path: 'settings',
        title: 'lists.settings',
        scope: 'lists:read',
        component: lazyRouteComponent(() => import('../features/lists/list-settings-tab.tsx'), 'ListSettingsTab'),
      },
    ],
  },
  {
    path: '/webhooks',
    title: 'webhooks.title',
    scope: 'webhooks:read',
    nav: { icon: Webhook, group: 'connect' },
    component: lazyRouteComponent(() => import('../features/webhooks/webhooks-page.tsx'), 'WebhooksPage'),
  },
  {
    path: '/keys',
    title: 'keys.title',
    scope: 'keys:read',
    nav: { icon: KeyRound, group: 'connect' },
    component: lazyRouteComponent(() => import('../features/account/keys-page.tsx'), 'KeysPage'),
  },
  {
    path: '/users',
    title: 'users.title',
    scope: 'users:read',
    nav: { icon: UsersRound, group: 'account' },
    component: lazyRouteComponent(() => import('../features/account/users-page.tsx'), 'UsersPage'),
  },
  {
    path: '/usage',
    title: 'usage.title',
    scope: 'account:read',
    nav: { icon: Gauge, group: 'account' },
    component: lazyRouteComponent(() => import('../features/usage/usage-page.tsx'), 'UsagePage'),
  },
  {
    path: '/consents',
    title: 'consents.title',
    scope: 'consents:read',
    nav: { icon: ClipboardList, group: 'account' },
    component: lazyRouteComponent(() => import('../features/audit/consents-page.tsx'), 'ConsentsPage'),
  },
  {
    path: '/audit',
    title: 'audit.title',
    scope: 'account:read',
    nav: { icon: Activity, group: 'account' },
    component: lazyRouteComponent(() => import('../features/audit/audit-page.tsx'), 'AuditPage'),
  },
  {
    path: '/me',
    title: 'me.title',
    scope: null,
    component: lazyRouteComponent(() => import('../features/account/me-page.tsx'), 'MePage'),
  },
];
