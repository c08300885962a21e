import { createSvcClient, isSvcApiError } from '@svc/server-sdk';

const { SVC_URL = 'http://127.0.0.1:3000', SVC_API_KEY = '', SVC_EVENT_ID = '', SVC_LIST_ID = '' } = process.env;
export const widgetUrl = new URL(process.env.SVC_WIDGET_URL ?? '/widget/', SVC_URL);

/** Your database: orders by ticket, which is 128 random bits. Global, as Next.js bundles this module several times. */
const scope = globalThis as { orders?: Map<string, { declined: boolean; notedAt: string }> };
scope.orders ??= new Map();
export const { orders } = scope;

/** Not made when the module loads, as a build has no key. */
const client = () => createSvcClient({ baseUrl: SVC_URL, apiKey: SVC_API_KEY });

/** Null if the service refuses: there is no face, or enrolment has closed. */
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
