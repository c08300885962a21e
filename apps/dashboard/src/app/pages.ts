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
import type { Right } from '../api/hooks.ts';
import type { TextKey } from '../text/index.ts';

export interface Place {
  /** Below `/dashboard`, in TanStack Router's syntax; of a tab, below its page. */
  readonly path: string;
  /** In the navigation, and of the document while the page says nothing better. */
  readonly title: TextKey;
  /** Without it the page says which role has it. */
  readonly scope: Right;
  readonly component: ComponentType;
  /** A tab to which its page shows no link. */
  readonly isUnlisted?: boolean;
}

export interface PageEntry extends Place {
  readonly nav?: { readonly icon: IconNode; readonly group: 'work' | 'connect' | 'account' };
  /** Pages within a page, which shows them where its `Outlet` stands; the one with the path `/` first. */
  readonly tabs?: readonly Place[];
}

/** Fetched when it is opened or pointed at. */
const lazy = lazyRouteComponent;

const listTabs: readonly Place[] = [
  {
    path: 'people',
    title: 'people.tab',
    scope: 'people:read',
    component: lazy(() => import('../features/people/people-tab.tsx'), 'PeopleTab'),
  },
  {
    path: 'doors',
    title: 'doors.tab',
    scope: 'devices:read',
    component: lazy(() => import('../features/doors/doors-tab.tsx'), 'DoorsTab'),
  },
];
const importTab: Place = {
  path: 'import',
  title: 'import.tab',
  scope: 'people:write',
  component: lazy(() => import('../features/import/import-tab.tsx'), 'ImportTab'),
};

/** Every page behind the sign-in. A page is an entry here, its component, and its texts. */
export const pages: readonly PageEntry[] = [
  {
    path: '/',
    title: 'events.title',
    scope: 'events:read',
    nav: { icon: CalendarDays, group: 'work' },
    component: lazy(() => import('../features/events/events-page.tsx'), 'EventsPage'),
  },
  {
    path: '/events/new',
    title: 'events.new',
    scope: 'events:write',
    component: lazy(() => import('../features/events/new-event-page.tsx'), 'NewEventPage'),
  },
  {
    path: '/events/$eventId',
    title: 'events.event',
    scope: 'events:read',
    component: lazy(() => import('../features/events/event-page.tsx'), 'EventPage'),
    tabs: [
      {
        path: '/',
        title: 'app.overview',
        scope: 'events:read',
        component: lazy(() => import('../features/events/event-page.tsx'), 'OverviewTab'),
      },
      {
        path: 'guests',
        title: 'guests.tab',
        scope: 'people:read',
        component: lazy(() => import('../features/guests/guests-tab.tsx'), 'GuestsTab'),
      },
      ...listTabs,
      { ...importTab, isUnlisted: true },
      {
        path: 'looks',
        title: 'events.looks',
        scope: 'events:read',
        component: lazy(() => import('../features/events/looks-form.tsx'), 'LooksTab'),
      },
      {
        path: 'settings',
        title: 'app.settings',
        scope: 'events:read',
        component: lazy(() => import('../features/events/settings-tab.tsx'), 'SettingsTab'),
      },
    ],
  },
  {
    path: '/lists',
    title: 'lists.title',
    scope: 'lists:read',
    nav: { icon: ListChecks, group: 'work' },
    component: lazy(() => import('../features/lists/lists-page.tsx'), 'ListsPage'),
  },
  {
    path: '/lists/new',
    title: 'lists.new',
    scope: 'lists:write',
    component: lazy(() => import('../features/lists/new-list-page.tsx'), 'NewListPage'),
  },
  {
    path: '/lists/$listId',
    title: 'app.list',
    scope: 'lists:read',
    component: lazy(() => import('../features/lists/list-page.tsx'), 'ListPage'),
    tabs: [
      {
        path: '/',
        title: 'app.overview',
        scope: 'lists:read',
        component: lazy(() => import('../features/lists/list-page.tsx'), 'ListOverviewTab'),
      },
      ...listTabs,
      importTab,
      {
        path: 'settings',
        title: 'app.settings',
        scope: 'lists:read',
        component: lazy(() => import('../features/lists/list-settings.tsx'), 'ListSettingsTab'),
      },
    ],
  },
  {
    path: '/webhooks',
    title: 'webhooks.title',
    scope: 'webhooks:read',
    nav: { icon: Webhook, group: 'connect' },
    component: lazy(() => import('../features/webhooks/webhooks-page.tsx'), 'WebhooksPage'),
  },
  {
    path: '/keys',
    title: 'keys.title',
    scope: 'keys:read',
    nav: { icon: KeyRound, group: 'connect' },
    component: lazy(() => import('../features/account/keys-page.tsx'), 'KeysPage'),
  },
  {
    path: '/users',
    title: 'users.title',
    scope: 'users:read',
    nav: { icon: UsersRound, group: 'account' },
    component: lazy(() => import('../features/account/users-page.tsx'), 'UsersPage'),
  },
  {
    path: '/usage',
    title: 'usage.title',
    scope: 'account:read',
    nav: { icon: Gauge, group: 'account' },
    component: lazy(() => import('../features/account/usage-page.tsx'), 'UsagePage'),
  },
  {
    path: '/consents',
    title: 'consents.title',
    scope: 'consents:read',
    nav: { icon: ClipboardList, group: 'account' },
    component: lazy(() => import('../features/audit/consents-page.tsx'), 'ConsentsPage'),
  },
  {
    path: '/audit',
    title: 'audit.title',
    scope: 'account:read',
    nav: { icon: Activity, group: 'account' },
    component: lazy(() => import('../features/audit/audit-page.tsx'), 'AuditPage'),
  },
  {
    path: '/me',
    title: 'me.title',
    scope: null,
    component: lazy(() => import('../features/account/me-page.tsx'), 'MePage'),
  },
];
