import type { IncomingHttpHeaders } from 'node:http';
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

/** Settings with which a service delivers to this machine. */
export const LOCAL_WEBHOOKS = {
  SVC_JOBS: 'on',
  SVC_WEBHOOK_ALLOW: '127.0.0.0/8',
  SVC_WEBHOOK_PORTS: 'any',
  SVC_WEBHOOK_HTTP: 'on',
} as const;

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
