import type { WebhookResource } from '@svc/protocol';
import { useSearch } from '@tanstack/react-router';
import { Plus, Webhook } from 'lucide';
import { useState } from 'react';
import { usePages } from '../../api/hooks.ts';
import { useLive } from '../../api/live.ts';
import { useFormat, useSay } from '../../app/language.tsx';
import { useCan } from '../../app/session.tsx';
import { Button } from '../../components/button.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Empty } from '../../components/empty.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { WebhookBadge } from './webhook-badge.tsx';
import { WebhookDialog } from './webhook-dialog.tsx';
import { WebhookView } from './webhook-view.tsx';

/** All webhooks, or the one that the address names: `?webhook=whk_…`. */
export function WebhooksPage() {
  const { webhook } = useSearch({ strict: false }) as { readonly webhook?: unknown };
  return typeof webhook === 'string' ? <WebhookView key={webhook} webhookId={webhook} /> : <Webhooks />;
}

function Webhooks() {
  const say = useSay();
  const format = useFormat();
  const mayWrite = useCan()('webhooks:write');
  useLive('webhooks');
  const pages = usePages('listWebhooks', { query: { limit: 100 } });
  const [isAdding, setAdding] = useState(false);
  const add = mayWrite ? (
    <Button kind="primary" icon={Plus} onPress={() => setAdding(true)}>
      {say('webhooks.add')}
    </Button>
  ) : undefined;
  const columns: readonly Column<WebhookResource>[] = [
    {
      id: 'url',
      header: say('webhooks.url'),
      width: 'minmax(14rem, 2fr)',
      cell: ({ url }) => url,
      sortBy: ({ url }) => url,
    },
    {
      id: 'state',
      header: say('webhooks.state'),
      width: 'minmax(8rem, 0.8fr)',
      cell: (webhook) => <WebhookBadge webhook={webhook} />,
    },
    {
      id: 'events',
      header: say('webhooks.events'),
      width: 'minmax(8rem, 0.8fr)',
      cell: ({ eventTypes }) => say('webhooks.events-count', { count: eventTypes.length }),
    },
    {
      id: 'created',
      header: say('webhooks.created'),
      width: 'minmax(8rem, 0.8fr)',
      cell: ({ createdAt }) => format.date(createdAt),
      sortBy: ({ createdAt }) => createdAt,
    },
  ];
  return (
    <>
      <PageHeader
        title={say('webhooks.title')}
        lead={say('webhooks.lead')}
        actions={pages.items.length === 0 ? undefined : add}
      />
      <DataTable
        label={say('webhooks.title')}
        columns={columns}
        pages={pages}
        rowKey={({ webhookId }) => webhookId}
        link={({ webhookId }) => ({ to: '/webhooks', search: { webhook: webhookId } })}
        empty={
          <Empty title={say('webhooks.none')} icon={Webhook} action={add}>
            {say('webhooks.none-help')}
          </Empty>
        }
      />
      {isAdding && <WebhookDialog webhook={null} onClose={() => setAdding(false)} />}
    </>
  );
}
