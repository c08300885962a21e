// A ticket shop: orders, the widget on the page of an order, the enrolment's status, and a webhook.
import { randomBytes } from 'node:crypto';
import { createSvcClient, isSvcApiError, verifyWebhook, WebhookVerificationError } from '@svc/server-sdk';
import express from 'express';

const { SVC_URL, SVC_API_KEY, SVC_EVENT_ID, SVC_LIST_ID, SVC_WEBHOOK_SECRET, SHOP_URL } = process.env;
const client = createSvcClient({ baseUrl: SVC_URL, apiKey: SVC_API_KEY });
const widget = new URL(process.env.SVC_WIDGET_URL ?? '/widget/', SVC_URL);

/** Your database: orders by ticket, which is 128 random bits. */
const orders = new Map();

const app = express();
app.set('env', 'production');
app.disable('x-powered-by');

const policy = [
  `default-src 'none'; script-src 'self' ${widget.origin}; frame-src ${widget.origin}`,
  "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
].join('; ');
app.use((_request, response, next) => {
  // The address is all that opens an order, so it is sent to no other site and kept in no cache.
  response.set({ 'Referrer-Policy': 'same-origin', 'Cache-Control': 'no-store', 'Content-Security-Policy': policy });
  next();
});

// The signature is over the bytes, so no parser comes first.
app.post('/hooks/check-in', express.raw({ type: () => true, limit: '64kb' }), async (request, response) => {
  try {
    const secrets = [SVC_WEBHOOK_SECRET];
    note(await verifyWebhook({ body: request.body, headers: request.headers, secrets }));
    response.sendStatus(204);
  } catch (error) {
    // Other errors are 500: the service sends the notification again.
    if (!(error instanceof WebhookVerificationError)) throw error;
    response.sendStatus(400);
  }
});

/** Notifications can repeat and arrive in any order. */
function note({ type, timestamp, data }) {
  const order = orders.get(data.personId ?? data.ticketId);
  if (order === undefined || timestamp < order.notedAt) return;
  order.notedAt = timestamp;
  order.declined = type === 'person.declined';
  console.log(type);
}

// Only pages of this shop may post forms.
app.post(/.*/, (request, response, next) => {
  if (request.get('Origin') === SHOP_URL) next();
  else response.sendStatus(403);
});

app.use(express.static('public'));

const page = (body) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Riverside Hall</title></head><body>${body}</body></html>`;

app.get('/', (_request, response) => {
  response.send(
    page('<form method="post" action="/orders"><h1>Summer concert</h1><button>Order a ticket</button></form>'),
  );
});

app.post('/orders', (_request, response) => {
  const ticketId = `T-${randomBytes(16).toString('hex')}`;
  orders.set(ticketId, { declined: false, notedAt: '' });
  response.redirect(303, `/orders/${ticketId}`);
});

/** Null if the service refuses: there is no face, or enrolment has closed. */
async function unlessRefused(answer) {
  try {
    return await answer;
  } catch (error) {
    if (!isSvcApiError(error)) throw error;
    if (error.status !== 404) console.error(error.code);
    return null;
  }
}

app.get('/orders/:ticketId', async ({ params: { ticketId } }, response) => {
  const order = orders.get(ticketId);
  if (order === undefined) return void response.sendStatus(404);
  // A webhook can be late; the API is not.
  const face = await unlessRefused(client.getPerson(SVC_LIST_ID, ticketId));
  const made = face ? null : await unlessRefused(client.createEnrolmentToken(SVC_EVENT_ID, { ticketId }));
  const offer = order.declined ? 'You chose the standard entrance.' : 'Walk in with your face, if you like.';
  response.send(
    page(`<h1>Your ticket</h1><p>${ticketId}</p>
<p id="status">${face ? `Your face is enrolled until ${face.deleteAfter.slice(0, 10)}.` : offer}</p>
${face ? `<form method="post" action="/orders/${ticketId}/withdraw"><button>Delete my face</button></form>` : ''}
${made ? `<div data-svc-token="${made.token}">Please use the standard entrance.</div>` : ''}
<script src="${new URL('widget.js', widget)}" async></script><script src="/shop.js"></script>`),
  );
});

app.post('/orders/:ticketId/withdraw', async ({ params: { ticketId } }, response) => {
  if (!orders.has(ticketId)) return void response.sendStatus(404);
  await client.deletePerson(SVC_LIST_ID, ticketId, { reason: 'consent-withdrawn' });
  response.redirect(303, `/orders/${ticketId}`);
});

const { port } = new URL(SHOP_URL);
app.listen(process.env.PORT ?? (port || 4000), '127.0.0.1', () => console.log(`listening: ${SHOP_URL}`));
