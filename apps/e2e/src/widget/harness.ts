import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  createManualClock,
  createStage,
  createToken,
  type MadeToken,
  startTestApi,
  type TestApi,
  type TestCustomer,
  type WidgetStage,
} from '@svc/api/testing';
import { inject } from 'vitest';
import { type OrganiserSite, startOrganiserSite } from './organiser-site.ts';
import { createScriptedInference, type ScriptedInference } from './scripted-inference.ts';

/** Slow machines start pages slowly; everything that a test waits for comes much earlier. */
export const PATIENCE_MS = 30_000;

/** The service with the built widget, an organiser with an event, and an organiser's site on another origin. */
export interface WidgetHarness {
  readonly api: TestApi;
  readonly customer: TestCustomer;
  readonly stage: WidgetStage;
  /**
   * Folder of the widget's page, `http://localhost:PORT/widget/`: another site than the organiser's, and a secure
   * context.
   */
  readonly widgetUrl: string;
  readonly organiser: OrganiserSite;
  /** Sets the results of photos; null if the service's own engine is used. */
  readonly inference: ScriptedInference | null;
  /** Each token is for a new ticket unless the request names one. */
  token(request?: object): Promise<MadeToken>;
  /** The guest link for a token. */
  guestLink(token: string): string;
  /** The person as the organiser's server sees it. */
  tokenState(tokenId: string): Promise<{ readonly state: string; readonly attemptsLeft: number }>;
  /** Ids of the enrolled people, which are those of their tickets. */
  enrolled(): Promise<readonly string[]>;
  close(): Promise<void>;
}

export interface WidgetHarnessOptions {
  /** `models`: the service's own engine. Default `scripted`. */
  readonly inference?: 'scripted' | 'models';
  /** Settings of the API besides the default test settings. */
  readonly environment?: Readonly<Record<string, string>>;
}

function requireBuilt(): void {
  const dist = join(dirname(fileURLToPath(import.meta.url)), '../../../widget/dist');
  if (!existsSync(join(dist, 'site.json'))) throw new Error('build the widget first: npm run build in apps/widget');
}

/** @throws Error if the widget was not built; the tests' npm script builds it first */
export async function startWidgetHarness(o: WidgetHarnessOptions = {}): Promise<WidgetHarness> {
  // A test may replace the widget by another page.
  if (o.environment?.SVC_WIDGET_DIR === undefined) requireBuilt();
  const inference = o.inference === 'models' ? null : createScriptedInference();
  const api = await startTestApi(
    inject('postgres'),
    inference === null ? {} : { createInference: () => inference.create() },
    { SVC_INFERENCE_WORKERS: '1', SVC_TEST_NODES: '1', ...o.environment },
  );
  const customer = await api.customer({ country: 'DE' });
  const stage = await createStage(customer, createManualClock());
  const organiser = await startOrganiserSite();
  const widgetUrl = `http://localhost:${new URL(api.url).port}/widget/`;
  let tickets = 0;
  return {
    api,
    customer,
    stage,
    widgetUrl,
    organiser,
    inference,
    token(request = {}) {
      tickets += 1;
      return createToken(customer, stage.eventId, { ticketId: `ticket-${tickets}`, ...request });
    },
    guestLink: (token) => `${widgetUrl}#${token}`,
    async tokenState(tokenId) {
      const path = `/v1/events/${stage.eventId}/enrolment-tokens/${tokenId}`;
      return (await customer.request<{ state: string; attemptsLeft: number }>('GET', path)).body;
    },
    async enrolled() {
      const path = `/v1/lists/${stage.listId}/people`;
      const { items } = (await customer.request<{ items: { personId: string }[] }>('GET', path)).body;
      return items.map(({ personId }) => personId);
    },
    async close() {
      await organiser.close();
      await api.close();
    },
  };
}

/** The markup for an organiser's ticket page, as documented. */
export const markup = (widgetUrl: string, token: string): string =>
  `<div data-svc-token="${token}"></div><script src="${widgetUrl}widget.js" async></script>`;
