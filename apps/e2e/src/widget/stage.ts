import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type BrowserContext, expect, type Frame, type Page } from '@playwright/test';
import {
  BUILT_PAGES,
  createFakeInference,
  createManualClock,
  createStage,
  createToken,
  type MadeToken,
  type SealTask,
  startTestApi,
} from '@svc/api/testing';
import { startTestSite } from '@svc/device-sdk-web/testing';
import type { EnrolReason } from '@svc/face-engine';
import type {} from '@svc/widget';
import { postgresOfRun, signal } from '../support/service.ts';

/** The service's pool without an engine: a test sets the result of each photo, and reads the bytes that came. */
function createScriptedInference() {
  const fake = createFakeInference();
  const { admit } = fake;
  const scripted = {
    /** Results of the next photos, whatever they show, in order; the last one is repeated. */
    outcomes: ['enrolled'] as readonly ('enrolled' | 'broken' | EnrolReason)[],
    /** The photos as they were sent. */
    photos: [] as Uint8Array[],
    /** Every photo waits until the result is called. */
    hold(): () => void {
      const { came, come } = signal();
      fake.hold = came;
      return () => {
        fake.hold = null;
        come();
      };
    },
    create: () => fake,
  };
  fake.admit = (...args) => {
    const admission = admit(...args);
    if (admission === null) return null;
    return {
      seal(task: SealTask) {
        scripted.photos.push(task.photo.slice());
        const [outcome = 'enrolled', ...later] = scripted.outcomes;
        if (later.length > 0) scripted.outcomes = later;
        return admission.seal({ ...task, photo: new TextEncoder().encode(outcome) });
      },
      release: () => admission.release(),
    };
  };
  return scripted;
}

interface OrganiserPage {
  /** Content of `<body>`. */
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A web site other than the service's, with the pages of a test. */
export interface OrganiserSite {
  /** The origin, without a slash at its end. */
  readonly url: string;
  /** Paths that were asked for, in order. */
  readonly asked: readonly string[];
  /** Adds or replaces a page. @param path begins with a slash @returns its address */
  put(path: string, page: OrganiserPage): string;
  close(): Promise<void>;
}

const toHtml = (body: string) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Your ticket</title></head>
<body>${body}</body></html>`;

export async function startOrganiserSite(): Promise<OrganiserSite> {
  const pages = new Map<string, OrganiserPage>();
  const asked: string[] = [];
  const site = await startTestSite({
    parts: [
      (path) => {
        asked.push(path);
        const page = pages.get(path);
        if (page === undefined) return null;
        return { headers: { 'content-type': 'text/html; charset=utf-8', ...page.headers }, body: toHtml(page.body) };
      },
    ],
  });
  return {
    ...site,
    asked,
    put(path, page) {
      pages.set(path, page);
      return site.url + path;
    },
  };
}

/**
 * The service with the built widget, an organiser with an event, and an organiser's site on another origin.
 * @throws Error if the widget was not built; the tests' npm script builds it first
 */
export async function startWidgetService() {
  if (!existsSync(join(import.meta.dirname, '../../../widget/dist/site.json')))
    throw new Error('build the widget first: npm run build in apps/widget');
  const inference = createScriptedInference();
  const api = await startTestApi(
    postgresOfRun(),
    { createInference: () => inference.create() },
    { ...BUILT_PAGES, SVC_INFERENCE_WORKERS: '1', SVC_TEST_NODES: '1', SVC_DEMO: 'on' },
  );
  const customer = await api.customer({ country: 'DE' });
  const stage = await createStage(customer, createManualClock());
  const organiser = await startOrganiserSite();
  const widgetUrl = `http://localhost:${new URL(api.url).port}/widget/`;
  let tickets = 0;
  return {
    ...{ api, customer, stage, organiser, inference },
    /** Folder of the widget's page: another site than the organiser's, and a secure context. */
    widgetUrl,
    /** Each token is for a new ticket unless the request names one. */
    token(request: object = {}) {
      tickets += 1;
      return createToken(customer, stage.eventId, { ticketId: `ticket-${tickets}`, ...request });
    },
    guestLink: (token: string) => `${widgetUrl}#${token}`,
    /** The person as the organiser's server sees it. */
    async tokenState(tokenId: string) {
      const path = `/v1/events/${stage.eventId}/enrolment-tokens/${tokenId}`;
      return (await customer.request<{ state: string; attemptsLeft: number }>('GET', path)).body;
    },
    async isEnrolled(ticketId: string) {
      const path = `/v1/lists/${stage.listId}/people?personId=${ticketId}`;
      const { items } = (await customer.request<{ items: { personId: string }[] }>('GET', path)).body;
      return items.some(({ personId }) => personId === ticketId);
    },
    async close() {
      await organiser.close();
      await api.close();
    },
  };
}
export type WidgetService = Awaited<ReturnType<typeof startWidgetService>>;

/** The markup for an organiser's ticket page, as documented, with an id to tell its events by. */
export const markup = (widgetUrl: string, token: string, attributes = ''): string =>
  `<div id="widget" data-svc-token="${token}" ${attributes}></div><script src="${widgetUrl}widget.js" async></script>`;

/** An event of the widget, as received by the organiser's page. */
interface Told {
  readonly type: string;
  readonly message: string | null;
  /** `id` of the container. */
  readonly on: string;
  readonly isTrusted: boolean;
}

/** Records the widget's events in the organiser's page, before any of its own scripts runs. */
function noteEvents(): void {
  const scope = globalThis as unknown as { told: Told[]; document: Document };
  scope.told = [];
  for (const name of ['ready', 'enrolled', 'declined', 'error'] as const) {
    scope.document.addEventListener(`svc:${name}`, (event) => {
      const { type, target, isTrusted } = event;
      const { detail } = event as CustomEvent<{ message: string } | null>;
      scope.told.push({ type, message: detail?.message ?? null, on: (target as Element).id, isTrusted });
    });
  }
}

interface Embedding extends Partial<OrganiserPage> {
  readonly path?: string;
  /** Without a body: markup before the widget, and attributes of its container. */
  readonly more?: string;
  readonly attributes?: string;
}

/** An organiser's page in a browser, with the widget. */
export class EmbeddedPage {
  private constructor(
    readonly page: Page,
    readonly service: WidgetService,
    /** That of the default content. */
    readonly made: MadeToken,
  ) {}

  /** Puts a page on the organiser's site and opens it. Default content: one `<div id="widget">` with a new token. */
  static async open(
    context: BrowserContext,
    service: WidgetService,
    { path = '/ticket', more = '', attributes = '', body, headers }: Embedding = {},
  ): Promise<EmbeddedPage> {
    const made = await service.token();
    const page = await context.newPage();
    await page.addInitScript(noteEvents);
    const content = body ?? more + markup(service.widgetUrl, made.token, attributes);
    await page.goto(service.organiser.put(path, { body: content, ...(headers && { headers }) }));
    return new EmbeddedPage(page, service, made);
  }

  told(): Promise<readonly Told[]> {
    return this.page.evaluate(() => (globalThis as unknown as { told: Told[] }).told);
  }

  /** Waits until the page has received these events, in this order. */
  isTold(...types: readonly string[]): Promise<void> {
    const wanted = types.map((type) => `svc:${type}`);
    return expect.poll(async () => (await this.told()).map(({ type }) => type)).toEqual(wanted);
  }

  /** The content of the page's first frame. */
  get inFrame() {
    return this.page.frameLocator('iframe').first();
  }

  /** The widget's page in the frame. @throws Error if there is none */
  frame(): Frame {
    const found = this.page.frames().find((frame) => frame.url().startsWith(this.service.widgetUrl));
    if (found === undefined) throw new Error('the widget is in no frame');
    return found;
  }

  /** Waits until the frame shows a step. */
  shows(step: string): Promise<void> {
    return this.inFrame.locator(`[data-screen="${step}"]`).first().waitFor();
  }
}
