import type { WebhookResource } from '@svc/protocol';
import { useSay } from '../../app/language.tsx';
import { Badge } from '../../components/badge.tsx';

/** Whether it is told, and why not. */
export function WebhookBadge({ webhook }: { readonly webhook: WebhookResource }) {
  const say = useSay();
  if (webhook.enabled) return <Badge tone="good">{say('webhooks.enabled')}</Badge>;
  const reason = webhook.disabledReason ?? 'owner';
  return <Badge tone={reason === 'owner' ? 'neutral' : 'bad'}>{say(`webhooks.disabled.${reason}`)}</Badge>;
}
