import type { Metrics } from '../../metrics/metrics.ts';
import { inSpan } from '../../tracing/span.ts';
import type { SendNotification } from './sender.ts';

const SPAN = { kind: 'client' } as const;

/** Times attempts by what came of them. Where they went and what they said is in neither metrics nor traces. */
export function observeSend(send: SendNotification, metrics: Pick<Metrics, 'deliveryAttempted'>): SendNotification {
  return (url, headers, body) => {
    const startedAt = performance.now();
    return inSpan('webhook.delivery', SPAN, async (span) => {
      const attempt = await send(url, headers, body);
      const outcome = attempt.isDelivered ? 'delivered' : attempt.failure;
      span.setAttribute('svc.outcome', outcome);
      if (attempt.status !== null) span.setAttribute('http.response.status_code', attempt.status);
      metrics.deliveryAttempted({ outcome, seconds: (performance.now() - startedAt) / 1_000 });
      return attempt;
    });
  };
}
