import dns from 'node:dns';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContext, BrowserContextOptions } from '@playwright/test';
import { BUILT_PAGES, createFakeInference, freePort, queryDatabase, signInWith, startTestApi } from '@svc/api/testing';
import { type InvitedUser, SESSION_COOKIE } from '@svc/protocol';
import { createSvcClient } from '@svc/server-sdk';
import { postgresOfRun, syncDeviceOf } from '../support/service.ts';
import { createMovedClock, type LifeStage, lifeBegin, live, type MovedClock } from './account-life.ts';

export type Role = InvitedUser['role'];

// Names below `localhost` are this machine's, as browsers know; Node would ask a resolver.
const { lookup } = dns;
const lookUp = (name: string, ...rest: [never, never]) =>
  lookup(/\.localhost$/.test(name) ? '127.0.0.1' : name, ...rest);
dns.lookup = lookUp as typeof lookup;

/** Signs the person of an invitation's link in, in a browser. */
export async function signInTo(context: BrowserContext, origin: string, link: string): Promise<void> {
  const { secret: value } = await signInWith({ url: origin }, link);
  const { hostname } = new URL(origin);
  const cookie = { name: SESSION_COOKIE, value, domain: hostname, path: '/', sameSite: 'Lax' } as const;
  await context.addCookies([{ ...cookie, secure: true, httpOnly: true }]);
}

/**
 * The service with the built dashboard, at an address with a name: passkeys need one.
 * @param o.hosts `separate`: the API, the dashboard, the kiosk and the widget have host names of their own
 * @param o.inference `models`: the service's own engine; default `fake`: a photo's text is its result; or another pool
 * @param o.begin where the service's clock begins; default `life`: a week ago, until an account has lived
 * @param o.clock of the service, in place of one that moves
 * @param o.environment settings of the API besides the default test settings
 * @throws Error if a page was not built; the tests' npm script builds them first
 */
export async function startDashboardService({
  inference = 'fake',
  begin = 'life',
  clock = createMovedClock(begin === 'now' ? Date.now() : lifeBegin()),
  hosts = 'one',
  environment = {},
}: {
  readonly inference?: 'fake' | 'models' | typeof createFakeInference;
  readonly begin?: 'life' | 'now';
  readonly clock?: MovedClock;
  readonly hosts?: 'one' | 'separate';
  readonly environment?: Readonly<Record<string, string>>;
} = {}) {
  for (const app of ['dashboard', 'widget', 'kiosk'])
    if (!existsSync(join(import.meta.dirname, '../../..', app, 'dist/site.json')))
      throw new Error(`build the ${app} first: npm run build in apps/${app}`);
  const port = await freePort();
  const separate = hosts === 'separate' && {
    SVC_API_URL: `http://127.0.0.1:${port}`,
    SVC_WIDGET_URL: `http://widget.localhost:${port}/widget`,
    SVC_KIOSK_URL: `http://localhost:${port}/kiosk/`,
    SVC_DASHBOARD_URL: `http://dashboard.localhost:${port}/dashboard/`,
  };
  const settings = { ...BUILT_PAGES, SVC_TEST_NODES: '1', SVC_INFERENCE_WORKERS: '1' };
  const api = await startTestApi(
    postgresOfRun(),
    {
      clock,
      ...(inference !== 'models' && { createInference: inference === 'fake' ? createFakeInference : inference }),
    },
    { ...settings, PORT: String(port), ...separate, ...environment },
  );
  const { origin } = new URL(api.config.dashboardUrl ?? '');
  let people = 0;
  async function account() {
    const customer = await api.customer({ country: 'DE', plan: { contract: 5_000 } });
    const rename = 'UPDATE accounts SET name = $2 WHERE account_id = $1';
    await queryDatabase(api.config.databaseUrl, rename, [customer.accountId, 'Riverside Hall']);
    /** Invites a person. @returns the link, which works once */
    const invite = async (role: Role) => {
      people += 1;
      const invited = await customer.request<InvitedUser>('POST', '/v1/users', {
        name: `Robin ${role}`,
        email: `${role}-${people}@riverside-hall.example`,
        role,
      });
      if (invited.body.invitationUrl === null) throw new Error(`nobody was invited: ${invited.status}`);
      return invited.body.invitationUrl;
    };
    return {
      customer,
      client: createSvcClient({ baseUrl: api.url, apiKey: customer.apiKey }),
      invite,
      /** A browser in which a new person of this role is signed in. */
      async signIn(browser: Browser, role: Role, options: BrowserContextOptions = {}) {
        const context = await browser.newContext(options);
        await signInTo(context, origin, await invite(role));
        return context;
      },
    };
  }
  return {
    ...{ api, origin, account },
    /** Of the service; behind this machine's until it is moved. */
    clock,
    /** An account with a week of life, by default with texts in place of photos and webhooks that are not sent. */
    async livedAccount(guests: number, stage: Partial<LifeStage> = {}) {
      const made = await account();
      const devices = new Map<string, ReturnType<typeof syncDeviceOf>>();
      const life = await live({
        client: made.client,
        url: api.url,
        dashboard: { url: origin },
        clock,
        guests,
        atOnce: 4,
        photo: () => Promise.resolve(Buffer.from('a face')),
        unusablePhoto: Buffer.from('no-face'),
        async sync(token, folder) {
          const device = devices.get(folder) ?? syncDeviceOf(api, token);
          devices.set(folder, device);
          await device.sync();
        },
        receivers: { good: 'https://tickets.example/check-in', broken: 'https://crm.example/check-in' },
        say() {},
        ...stage,
      });
      return { ...made, life };
    },
    close: () => api.close(),
  };
}
export type DashboardService = Awaited<ReturnType<typeof startDashboardService>>;
/** An organiser with its people. */
export type Organiser = Awaited<ReturnType<DashboardService['account']>>;

/** Lets every read of a signed-in person fail, but for who that is. */
export async function failReads(context: BrowserContext): Promise<void> {
  await context.route('**/v1/**', (route) =>
    /\/v1\/session$/.test(route.request().url()) ? route.fallback() : route.fulfill(refusal(400, 'invalid-request')),
  );
}

/** As the service refuses. */
export const refusal = (status: number, code: string) => ({
  status,
  contentType: 'application/problem+json',
  body: JSON.stringify({ type: `/docs/errors#${code}`, title: code, status, code, requestId: 'req_1' }),
});
