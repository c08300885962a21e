import {
  type AnyRoute,
  createRootRoute,
  createRoute,
  createRouter,
  type ErrorRouteComponent,
  lazyRouteComponent,
  Navigate,
  Outlet,
  type RouteComponent,
} from '@tanstack/react-router';
import { FailedPage, NotFoundPage, SignedIn } from './layout.tsx';
import { type Place, pages } from './pages.ts';

const root = createRootRoute({ component: Outlet });
const signedIn = createRoute({ getParentRoute: () => root, id: 'signed-in', component: SignedIn });

function routeOf(parent: AnyRoute, { path, component, ...page }: Place): AnyRoute {
  return createRoute({
    getParentRoute: () => parent,
    path,
    component: component as RouteComponent,
    staticData: { page },
  }) as unknown as AnyRoute;
}

const signedInRoutes = pages.map((page) => {
  const route = routeOf(signedIn, page);
  return page.tabs === undefined ? route : route.addChildren(page.tabs.map((tab) => routeOf(route, tab)));
});
const toEvents = () => <Navigate to={'/' as string} replace />;
const events = createRoute({ getParentRoute: () => signedIn, path: '/events', component: toEvents });
const notFound = createRoute({ getParentRoute: () => signedIn, path: '$', component: NotFoundPage });

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  component: lazyRouteComponent(() => import('../features/sign-in/sign-in-page.tsx'), 'SignInPage'),
});
const ofLinks = () => import('../features/sign-in/invitation-page.tsx');
const invitation = createRoute({
  getParentRoute: () => root,
  path: '/invitation',
  component: lazyRouteComponent(ofLinks, 'InvitationPage'),
});
const firstOwner = createRoute({
  getParentRoute: () => root,
  path: '/first-owner',
  component: lazyRouteComponent(ofLinks, 'FirstOwnerPage'),
});

export const router = createRouter({
  routeTree: root.addChildren([
    signedIn.addChildren([...signedInRoutes, events, notFound]),
    signIn,
    invitation,
    firstOwner,
  ]),
  basepath: '/dashboard',
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultErrorComponent: FailedPage as ErrorRouteComponent,
});
