import { verifyWebhook, WebhookVerificationError } from '@svc/server-sdk';
import { orders } from '../../shop';

export async function POST(request: Request) {
  try {
    // The signature is over the bytes, so no parser comes first.
    const body = new Uint8Array(await request.arrayBuffer());
    const secrets = [process.env.SVC_WEBHOOK_SECRET ?? ''];
    const notification = await verifyWebhook({ body, headers: request.headers, secrets });
    const { type, timestamp, data } = notification;
    const order = orders.get('personId' in data ? data.personId : 'ticketId' in data ? data.ticketId : '');
    // Notifications can repeat and arrive in any order.
    if (order !== undefined && timestamp >= order.notedAt) {
      order.notedAt = timestamp;
      order.declined = type === 'person.declined';
      console.log(type);
    }
    return new Response(null, { status: 204 });
  } catch (error) {
    // Other errors are 500: the service sends the notification again.
    if (!(error instanceof WebhookVerificationError)) throw error;
    return new Response(null, { status: 400 });
  }
}
