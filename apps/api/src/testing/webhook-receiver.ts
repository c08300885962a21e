import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { webhookNotificationSchema } from '@svc/protocol';
import type { Services } from '../compose/services.ts';
import { createDispatchStore } from '../features/webhooks/dispatch-store.ts';
import { WebhookDispatcher } from '../features/webhooks/dispatcher.ts';

/** A received request. */
export interface ReceivedNotification {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: { readonly type: string; readonly timestamp: string; readonly data: Record<string, unknown> };
}

/** Settings with which a service delivers to {@link startWebhookReceiver}. */
export const LOCAL_WEBHOOKS = {
  SVC_JOBS: 'on',
  SVC_WEBHOOK_ALLOW: '127.0.0.0/8',
  SVC_WEBHOOK_PORTS: 'any',
  SVC_WEBHOOK_HTTP: 'on',
} as const;

/** A webhook receiver on 127.0.0.1 that records what it gets. */
export async function startWebhookReceiver() {
  const received: ReceivedNotification[] = [];
  let status = 204;
  let answerHeaders: Record<string, string> = {};
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      received.push({ headers: request.headers, text, body: webhookNotificationSchema.parse(JSON.parse(text)) });
      response.writeHead(status, answerHeaders).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received: received as readonly ReceivedNotification[],
    /** Status of answers from now on. */
    answerWith(next: number, headers: Record<string, string> = {}): void {
      [status, answerHeaders] = [next, headers];
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Delivers what is due when a test says so, to a receiver in this process that takes what any webhook is sent. */
export function createDeliveries(services: Services) {
  const received: ReceivedNotification[] = [];
  let status = 204;
  const errors: unknown[] = [];
  const dispatcher = new WebhookDispatcher({
    ...services,
    store: createDispatchStore(services.database.connection),
    send(_url, headers, body) {
      const text = Buffer.from(body).toString('utf8');
      received.push({ headers, text, body: webhookNotificationSchema.parse(JSON.parse(text)) });
      const isDelivered = status < 300;
      return Promise.resolve(isDelivered ? { isDelivered, status } : { isDelivered, status, failure: 'status' });
    },
    onError: (error) => errors.push(error),
  });
  return {
    received: received as readonly ReceivedNotification[],
    /** Status of answers from now on. */
    answerWith(next: number): void {
      status = next;
    },
    async deliver(): Promise<void> {
      await dispatcher.deliverDue();
      if (errors.length > 0) throw errors[0];
    },
  };
}
