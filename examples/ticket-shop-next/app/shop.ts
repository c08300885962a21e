import { createSvcClient, isSvcApiError } from '@svc/server-sdk';

const { SVC_URL = 'http://127.0.0.1:3000', SVC_API_KEY = '', SVC_EVENT_ID = '', SVC_LIST_ID = '' } = process.env;
export const widgetUrl = new URL(process.env.SVC_WIDGET_URL ?? '/widget/', SVC_URL);

/** Instead of your database: orders by their ticket, 128 random bits. Next.js bundles this module more than once. */
const scope = globalThis as { orders?: Map<string, { declined: boolean; notedAt: string }> };
scope.orders ??= new Map();
export const { orders } = scope;

/** Made when it is needed, so that a build needs no key. */
const client = () => createSvcClient({ baseUrl: SVC_URL, apiKey: SVC_API_KEY });

/** Null for what the service refuses: there is no face, or no enrolment any more. */
async function unlessRefused<T>(answer: Promise<T>) {
  try {
    return await answer;
  } catch (error) {
    if (!isSvcApiError(error)) throw error;
    if (error.status !== 404) console.error(error.code);
    return null;
  }
}

export const faceOf = (ticketId: string) => unlessRefused(client().getPerson(SVC_LIST_ID, ticketId));
export const newToken = (ticketId: string) => unlessRefused(client().createEnrolmentToken(SVC_EVENT_ID, { ticketId }));
export const deleteFace = (ticketId: string) =>
  client().deletePerson(SVC_LIST_ID, ticketId, { reason: 'consent-withdrawn' });
