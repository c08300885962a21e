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

const lazy = lazyRouteComponent;
const place = (path: string, title: TextKey, scope: Right, component: ComponentType): Place => ({
  ...{ path, title, scope, component },
});
const inNav = (group: NonNullable<PageEntry['nav']>['group'], icon: IconNode, of: Place): PageEntry => ({
  ...of,
  nav: { icon, group },
});

const peopleTab = place(
  'people',
  'people.tab',
  'people:read',
  lazy(() => import('../features/guests/guests-tab.tsx'), 'PeopleTab'),
);
const doorsTab = place(
  'doors',
  'doors.tab',
  'devices:read',
  lazy(() => import('../features/doors/doors-tab.tsx'), 'DoorsTab'),
);
const importFolder = lazy(() => import('../features/import/import-tab.tsx'), 'ImportTab');
const importTab = place('import', 'import.tab', 'people:write', importFolder);

const ofEvents = () => import('../features/events/events-page.tsx');
const ofNewEvent = () => import('../features/events/new-event-page.tsx');
const ofEvent = () => import('../features/events/event-page.tsx');
const ofGuests = () => import('../features/guests/guests-tab.tsx');
const ofLooks = () => import('../features/events/looks-form.tsx');
const ofEventSettings = () => import('../features/events/settings-tab.tsx');
const ofLists = () => import('../features/lists/lists-page.tsx');
const ofNewList = () => import('../features/lists/new-list-page.tsx');
const ofList = () => import('../features/lists/list-page.tsx');
const ofListSettings = () => import('../features/lists/list-settings.tsx');
const ofWebhooks = () => import('../features/webhooks/webhooks-page.tsx');
const ofKeys = () => import('../features/account/keys-page.tsx');
const ofUsers = () => import('../features/account/users-page.tsx');
const ofUsage = () => import('../features/account/usage-page.tsx');
const ofConsents = () => import('../features/audit/consents-page.tsx');
const ofAudit = () => import('../features/audit/audit-page.tsx');
const ofMe = () => import('../features/account/me-page.tsx');

const eventTabs: readonly Place[] = [
  place('/', 'app.overview', 'events:read', lazy(ofEvent, 'OverviewTab')),
  place('guests', 'guests.tab', 'people:read', lazy(ofGuests, 'GuestsTab')),
  // Its address of before, which leads to the guests.
  { ...peopleTab, isUnlisted: true },
  doorsTab,
  { ...importTab, isUnlisted: true },
  place('looks', 'events.looks', 'events:read', lazy(ofLooks, 'LooksTab')),
  place('settings', 'app.settings', 'events:read', lazy(ofEventSettings, 'SettingsTab')),
];

/** Every page behind the sign-in. A page is an entry here, its component, and its texts. */
export const pages: readonly PageEntry[] = [
  inNav('work', CalendarDays, place('/', 'events.title', 'events:read', lazy(ofEvents, 'EventsPage'))),
  place('/events/new', 'events.new', 'events:write', lazy(ofNewEvent, 'NewEventPage')),
  { ...place('/events/$eventId', 'events.event', 'events:read', lazy(ofEvent, 'EventPage')), tabs: eventTabs },
  inNav('work', ListChecks, place('/lists', 'lists.title', 'lists:read', lazy(ofLists, 'ListsPage'))),
  place('/lists/new', 'lists.new', 'lists:write', lazy(ofNewList, 'NewListPage')),
  {
    ...place('/lists/$listId', 'app.list', 'lists:read', lazy(ofList, 'ListPage')),
    tabs: [
      place('/', 'app.overview', 'lists:read', lazy(ofList, 'ListOverviewTab')),
      peopleTab,
      doorsTab,
      importTab,
      place('settings', 'app.settings', 'lists:read', lazy(ofListSettings, 'ListSettingsTab')),
    ],
  },
  inNav('connect', Webhook, place('/webhooks', 'webhooks.title', 'webhooks:read', lazy(ofWebhooks, 'WebhooksPage'))),
  inNav('connect', KeyRound, place('/keys', 'keys.title', 'keys:read', lazy(ofKeys, 'KeysPage'))),
  inNav('account', UsersRound, place('/users', 'users.title', 'users:read', lazy(ofUsers, 'UsersPage'))),
  inNav('account', Gauge, place('/usage', 'usage.title', 'account:read', lazy(ofUsage, 'UsagePage'))),
  inNav(
    'account',
    ClipboardList,
    place('/consents', 'consents.title', 'consents:read', lazy(ofConsents, 'ConsentsPage')),
  ),
  inNav('account', Activity, place('/audit', 'audit.title', 'account:read', lazy(ofAudit, 'AuditPage'))),
  place('/me', 'me.title', null, lazy(ofMe, 'MePage')),
];
