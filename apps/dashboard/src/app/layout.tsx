import { attemptSoon } from '@svc/page-kit';
import { roleScopes, userRoles } from '@svc/protocol/roles';
import { Outlet, useLocation, useMatches, useRouter } from '@tanstack/react-router';
import { CircleHelp, LogOut, Menu as MenuIcon, UserRound, X } from 'lucide';
import { lazy, Suspense, useEffect, useState } from 'react';
import { cache } from '../api/client.ts';
import { ApiError } from '../api/errors.ts';
import { SessionProvider, useAct, useCan, useRead, useSession } from '../api/hooks.ts';
import { forgetKept } from '../api/kept.ts';
import { followChanges } from '../api/live.ts';
import { Empty, PageHeader } from '../components/blocks.tsx';
import { Button, Icon, Link, NavLink } from '../components/controls.tsx';
import { Badge, Loading, Problem, tellError, Unread } from '../components/status.tsx';
import { language, say } from '../text/index.ts';
import { pages } from './pages.ts';

const groups = ['work', 'connect', 'account'] as const;

/** The pages behind the sign-in: reads the session, and leads to the sign-in page without one. */
export function SignedIn() {
  const session = useRead('getSession', undefined, { staleMs: 60_000 });
  if (session.data === null) return <ToSignIn ended />;
  // A session that has ended is 429 after too many others' unknown secrets from this address, which signing in is not.
  if (session.data === undefined && session.error instanceof ApiError && [401, 429].includes(session.error.o.status)) {
    return <ToSignIn ended={false} />;
  }
  if (session.data === undefined) return <Unread query={session} />;
  return (
    <SessionProvider value={session.data}>
      <Frame />
    </SessionProvider>
  );
}

/** Leads to the sign-in page, once, with the way back to where the person is. */
function ToSignIn({ ended }: { readonly ended: boolean }) {
  const router = useRouter();
  useEffect(() => {
    const search = { back: router.state.location.href, ...(ended ? { ended } : {}) };
    void router.navigate({ to: '/sign-in' as string, search: search as never, replace: true });
  }, [router, ended]);
  return <Loading />;
}

function Frame() {
  const [isOpen, setOpen] = useState(false);
  const { pathname } = useLocation();
  useEffect(() => setOpen(false), [pathname]);
  useEffect(followChanges, []);
  return (
    <div className="svcd-frame">
      <a className="svcd-skip" href="#main">
        {say('app.skip')}
      </a>
      <header className="svcd-bar">
        <Button
          kind="quiet"
          label={say('app.menu')}
          icon={isOpen ? X : MenuIcon}
          isExpanded={isOpen}
          onPress={() => setOpen(!isOpen)}
        />
        <Brand />
      </header>
      <nav
        className="svcd-side"
        data-open={isOpen}
        aria-label={say('app.navigation')}
        onKeyDown={(event) => {
          if (event.key === 'Escape') setOpen(false);
        }}
      >
        <Brand />
        <Navigation />
        <PersonMenu />
      </nav>
      <main className="svcd-main" id="main" tabIndex={-1}>
        <Guarded />
      </main>
    </div>
  );
}

function Brand() {
  const { account } = useSession();
  return (
    <Link to="/" className="svcd-brand">
      <span className="svcd-mark" aria-hidden="true" />
      <span className="svcd-brand-name">{account.name}</span>
      {account.mode === 'test' ? <Badge tone="warning">{say('app.test')}</Badge> : null}
    </Link>
  );
}

function Navigation() {
  const can = useCan();
  return groups.map((group) => {
    const shown = pages.filter((page) => page.nav?.group === group && can(page.scope));
    if (shown.length === 0) return null;
    return (
      <ul key={group} className="svcd-nav">
        {shown.map((page) => (
          <li key={page.path}>
            <NavLink to={page.path} icon={page.nav?.icon}>
              {say(page.title)}
            </NavLink>
          </li>
        ))}
      </ul>
    );
  });
}

// Fetched when it is opened first.
const SignOutDialog = lazy(async () => ({ default: (await import('./session-dialogs.tsx')).SignOutDialog }));

/** After the service has ended the session. */
async function leave(): Promise<void> {
  await forgetKept('person');
  cache.clear();
  location.assign('/dashboard/sign-in');
}

function PersonMenu() {
  const { user } = useSession();
  const [isAsked, setAsked] = useState(false);
  const signOut = useAct('signOut', { onError: tellError, onSuccess: () => void leave() });
  async function askOrLeave(): Promise<void> {
    const { hasUnfinished } = await import('../features/import/import-store.ts');
    if (await attemptSoon(hasUnfinished, false)) setAsked(true);
    else signOut.mutate({});
  }
  return (
    <ul className="svcd-nav svcd-person">
      <li>
        <NavLink to="/me" icon={UserRound}>
          {user.name}
        </NavLink>
      </li>
      <li>
        <a className="svcd-nav-link" href="/manual/guide/dashboard.html" target="_blank" rel="noreferrer">
          <Icon of={CircleHelp} />
          {say('app.help')}
          <span className="svc-visually-hidden">{say('app.new-tab')}</span>
        </a>
      </li>
      <li>
        <button type="button" className="svcd-nav-link" onClick={() => void askOrLeave()}>
          <Icon of={LogOut} />
          {say('sign-in.sign-out')}
        </button>
        <Suspense>{isAsked && <SignOutDialog onClose={() => setAsked(false)} onDone={() => void leave()} />}</Suspense>
      </li>
    </ul>
  );
}

/** The page, or which role has the right that it needs. */
function Guarded() {
  const can = useCan();
  const lacking = useMatches({
    select: (matches) => matches.flatMap((match) => match.staticData.page ?? []),
  }).find((page) => !can(page.scope));
  if (lacking === undefined) return <Outlet />;
  const roles = userRoles.filter((role) => lacking.scope === null || roleScopes[role].includes(lacking.scope));
  const names = new Intl.ListFormat(language, { type: 'disjunction' }).format(
    roles.map((role) => say(`roles.${role}`)),
  );
  return (
    <>
      <PageHeader title={say(lacking.title)} />
      <Empty title={say('app.no-right')} text={say('app.no-right-help', { roles: names })} />
    </>
  );
}

export function NotFoundPage() {
  return (
    <>
      <PageHeader title={say('app.not-found')} />
      <Empty title={say('app.not-found-help')} text={<Link to="/">{say('app.to-start')}</Link>} />
    </>
  );
}

export function FailedPage({ error, reset }: { readonly error: Error; readonly reset: () => void }) {
  return (
    <>
      <PageHeader title={say('app.failed')} />
      <Problem error={error} />
      <Button onPress={reset} text={say('app.try-again')} />
    </>
  );
}
