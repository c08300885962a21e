// A receiver of notifications: the body's very bytes are verified before anything parses them.
// SVC_WEBHOOK_SECRET=whsec_… node --import tsx packages/server-sdk/examples/webhook-receiver.ts
import { createServer, type RequestListener } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { verifyWebhook, type WebhookNotification, WebhookVerificationError } from '@svc/server-sdk';

/**
 * Answers 204 once `handle` is done, so that what failed is sent again; `handle` sees each notification at least once.
 */
export function createReceiver(
  secrets: readonly string[],
  handle: (notification: WebhookNotification) => Promise<void>,
): RequestListener {
  return (request, response) => {
    const take = async () => {
      const notification = await verifyWebhook({ body: await buffer(request), headers: request.headers, secrets });
      await handle(notification);
    };
    take().then(
      () => response.writeHead(204).end(),
      (error: unknown) => response.writeHead(error instanceof WebhookVerificationError ? 400 : 500).end(),
    );
  };
}

if (process.argv[1] === import.meta.filename) {
  const seen = new Set<string>();
  const receiver = createReceiver([process.env.SVC_WEBHOOK_SECRET ?? ''], async ({ id, type }) => {
    if (seen.has(id)) return;
    seen.add(id);
    process.stdout.write(`${type}\n`);
  });
  createServer(receiver).listen(8080, '127.0.0.1');
}
