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

/** Slow machines start pages slowly; everything that a test waits for comes long before. */
export const PATIENCE_MS = 30_000;

/** The service with the built widget, an organiser with an event, and a site of the organiser's on another origin. */
export interface WidgetHarness {
  readonly api: TestApi;
  readonly customer: TestCustomer;
  readonly stage: WidgetStage;
  /**
   * Folder of the widget's page, `http://localhost:PORT/widget/`: of another site than the organiser's, and one that
   * browsers give a camera.
   */
  readonly widgetUrl: string;
  readonly organiser: OrganiserSite;
  /** What becomes of photos; null where the service's own engine looks at them. */
  readonly inference: ScriptedInference | null;
  /** Every token is for a ticket of its own unless the request names one. */
  token(request?: object): Promise<MadeToken>;
  /** Where a guest link leads. */
  guestLink(token: string): string;
  /** As the organiser's server sees it. */
  tokenState(tokenId: string): Promise<{ readonly state: string; readonly attemptsLeft: number }>;
  /** Ids of the people that are enrolled: for each its ticket's. */
  enrolled(): Promise<readonly string[]>;
  close(): Promise<void>;
}

export interface WidgetHarnessOptions {
  /** `models`: the service's own engine. Default `scripted`. */
  readonly inference?: 'scripted' | 'models';
  /** Settings of the API beside those of every test. */
  readonly environment?: Readonly<Record<string, string>>;
}

function requireBuilt(): void {
  const dist = join(dirname(fileURLToPath(import.meta.url)), '../../../widget/dist');
  if (!existsSync(join(dist, 'site.json'))) throw new Error('build the widget first: npm run build in apps/widget');
}

/** @throws Error where the widget was not built, which the tests' own command does first */
export async function startWidgetHarness(o: WidgetHarnessOptions = {}): Promise<WidgetHarness> {
  // Another page may take the widget's place.
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

/** What an organiser's ticket page says to have the widget, as the interface has it. */
export const markup = (widgetUrl: string, token: string): string =>
  `<div data-svc-token="${token}"></div><script src="${widgetUrl}widget.js" async></script>`;
