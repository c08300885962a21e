import type { WebhookDeliveryResource, WebhookDeliveryState, WebhookResource } from '@svc/protocol';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { KeyRound, Pencil, Plus, RotateCcw, Send, Trash2, Webhook } from 'lucide';
import { useState } from 'react';
import { useAct, usePages, useRead } from '../../api/hooks.ts';
import { useLive } from '../../api/live.ts';
import { useCan } from '../../api/session.tsx';
import { Empty, Facts, PageHeader, Section } from '../../components/blocks.tsx';
import { Button } from '../../components/button.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { SelectField } from '../../components/field.tsx';
import { Link } from '../../components/link.tsx';
import { Badge, Notice, Problem, type Tone } from '../../components/status.tsx';
import { UnreadPage } from '../../components/tabbed-page.tsx';
import { toast } from '../../components/toast.tsx';
import { format, say, useNow } from '../../text/index.ts';
import { SecretDialog, WebhookDialog } from './webhook-dialog.tsx';

/** All webhooks, or the one that the address names: `?webhook=whk_…`. */
export function WebhooksPage() {
  const { webhook } = useSearch({ strict: false }) as { readonly webhook?: unknown };
  return typeof webhook === 'string' ? <WebhookView key={webhook} webhookId={webhook} /> : <Webhooks />;
}

function Webhooks() {
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
      header: say('webhooks.url'),
      width: 'minmax(14rem, 2fr)',
      cell: ({ url }) => url,
      sortBy: ({ url }) => url,
    },
    {
      header: say('app.state'),
      width: 'minmax(8rem, 0.8fr)',
      cell: (webhook) => <WebhookBadge webhook={webhook} />,
    },
    {
      header: say('webhooks.events'),
      width: 'minmax(8rem, 0.8fr)',
      cell: ({ eventTypes }) => say('webhooks.events-count', { count: eventTypes.length }),
    },
    {
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

/** A webhook with its deliveries. */
export function WebhookView({ webhookId }: { readonly webhookId: string }) {
  useLive('webhooks', webhookId);
  const webhook = useRead('getWebhook', { params: { webhookId } });
  const above = <Link to="/webhooks">{say('webhooks.title')}</Link>;
  if (webhook.data === undefined) return <UnreadPage query={webhook} title={say('webhooks.webhook')} above={above} />;
  return (
    <>
      <PageHeader
        title={new URL(webhook.data.url).host}
        above={above}
        beside={<WebhookBadge webhook={webhook.data} />}
      />
      <div className="svcd-stack">
        <Settings webhook={webhook.data} />
        <Deliveries webhook={webhook.data} />
      </div>
    </>
  );
}

function Settings({ webhook }: { readonly webhook: WebhookResource }) {
  const navigate = useNavigate();
  const mayWrite = useCan()('webhooks:write');
  const [asked, setAsked] = useState<'edit' | 'rotate' | 'delete' | null>(null);
  const params = { webhookId: webhook.webhookId };
  const enable = useAct('updateWebhook');
  const test = useAct('testWebhook', { onSuccess: () => toast({ text: say('webhooks.test-sent') }) });
  const rotate = useAct('rotateWebhookSecret', { onSuccess: () => setAsked(null) });
  const remove = useAct('deleteWebhook', {
    onSuccess: () => {
      toast({ text: say('webhooks.deleted') });
      void navigate({ to: '/webhooks', search: {} } as never);
    },
  });
  const error = enable.error ?? test.error;
  return (
    <Section
      title={say('app.settings')}
      actions={
        mayWrite && (
          <>
            <Button
              icon={Send}
              isBusy={test.isPending}
              isDisabled={!webhook.enabled}
              onPress={() => test.mutate({ params })}
            >
              {say('webhooks.test')}
            </Button>
            <Button icon={Pencil} onPress={() => setAsked('edit')}>
              {say('webhooks.edit-short')}
            </Button>
          </>
        )
      }
    >
      {error !== null && <Problem error={error} />}
      {!webhook.enabled && (
        <Notice
          tone={webhook.disabledReason === 'owner' ? 'info' : 'bad'}
          title={say(`webhooks.disabled.${webhook.disabledReason ?? 'owner'}`)}
          action={
            mayWrite && (
              <Button
                size="small"
                isBusy={enable.isPending}
                onPress={() => enable.mutate({ params, body: { enabled: true } })}
              >
                {say('webhooks.enable')}
              </Button>
            )
          }
        >
          {say(`webhooks.disabled.${webhook.disabledReason ?? 'owner'}-help`)}
        </Notice>
      )}
      <Facts
        facts={[
          { label: say('webhooks.url'), value: <span className="svcd-code">{webhook.url}</span> },
          { label: say('webhooks.created'), value: format.dateTime(webhook.createdAt) },
        ]}
      />
      <div>
        <p className="svcd-small">{say('webhooks.events')}</p>
        <ul className="svcd-badges svcd-plain">
          {webhook.eventTypes.map((type) => (
            <li key={type}>
              <Badge>{say(`webhooks.event.${type}`)}</Badge>
            </li>
          ))}
        </ul>
      </div>
      {mayWrite && (
        <div className="svcd-row">
          <Button icon={KeyRound} onPress={() => setAsked('rotate')}>
            {say('webhooks.rotate')}
          </Button>
          {webhook.enabled && (
            <Button isBusy={enable.isPending} onPress={() => enable.mutate({ params, body: { enabled: false } })}>
              {say('webhooks.disable')}
            </Button>
          )}
          <Button kind="danger" icon={Trash2} onPress={() => setAsked('delete')}>
            {say('webhooks.delete')}
          </Button>
        </div>
      )}
      {asked === 'edit' && <WebhookDialog webhook={webhook} onClose={() => setAsked(null)} />}
      <Confirm
        isOpen={asked === 'rotate'}
        onClose={() => setAsked(null)}
        title={say('webhooks.rotate-title')}
        action={say('webhooks.rotate')}
        kind="primary"
        act={rotate}
        onConfirm={() => rotate.mutate({ params })}
      >
        <p>{say('webhooks.rotate-help')}</p>
      </Confirm>
      <Confirm
        isOpen={asked === 'delete'}
        onClose={() => setAsked(null)}
        title={say('webhooks.delete-title')}
        action={say('webhooks.delete')}
        act={remove}
        onConfirm={() => remove.mutate({ params })}
      >
        <p>{say('webhooks.delete-help')}</p>
      </Confirm>
      {rotate.data !== undefined && (
        <SecretDialog
          secret={rotate.data.secret}
          formerUntil={rotate.data.formerSecretValidUntil}
          onClose={() => rotate.reset()}
        />
      )}
    </Section>
  );
}

const tones: Readonly<Record<WebhookDeliveryState, Tone>> = { pending: 'accent', delivered: 'good', dead: 'bad' };
const ANY = 'any';

function Deliveries({ webhook }: { readonly webhook: WebhookResource }) {
  const nowMs = useNow();
  const mayWrite = useCan()('webhooks:write');
  const [chosen, setChosen] = useState<WebhookDeliveryState | typeof ANY>(ANY);
  const params = { webhookId: webhook.webhookId };
  const state = chosen === ANY ? undefined : chosen;
  const pages = usePages('listWebhookDeliveries', { params, query: { state, limit: 100 } });
  const replay = useAct('replayWebhookDelivery', { onSuccess: () => toast({ text: say('webhooks.replayed') }) });
  const columns: readonly Column<WebhookDeliveryResource>[] = [
    {
      header: say('webhooks.what'),
      width: 'minmax(9rem, 1.3fr)',
      cell: ({ eventType }) => say(`webhooks.event.${eventType}`),
    },
    {
      header: say('app.state'),
      width: 'minmax(7rem, 0.8fr)',
      cell: (delivery) => <Badge tone={tones[delivery.state]}>{say(`webhooks.delivery.${delivery.state}`)}</Badge>,
    },
    {
      header: say('webhooks.result'),
      width: 'minmax(9rem, 1.4fr)',
      cell: (delivery) => <Result delivery={delivery} nowMs={nowMs} />,
    },
    {
      header: say('app.when'),
      width: 'minmax(8rem, 1fr)',
      cell: ({ createdAt }) => <time dateTime={createdAt}>{format.dateTime(createdAt)}</time>,
    },
  ];
  return (
    <Section title={say('webhooks.deliveries')} lead={say('webhooks.deliveries-help')}>
      {replay.error !== null && <Problem error={replay.error} />}
      <div className="svcd-filters">
        <SelectField
          label={say('app.state')}
          value={chosen}
          onChange={setChosen}
          options={([ANY, 'pending', 'delivered', 'dead'] as const).map((value) => ({
            value,
            label: say(`webhooks.delivery.${value}`),
          }))}
        />
      </div>
      <DataTable
        label={say('webhooks.deliveries')}
        columns={columns}
        pages={pages}
        rowKey={({ deliveryId }) => deliveryId}
        empty={<Empty title={say('webhooks.no-deliveries')}>{say('webhooks.no-deliveries-help')}</Empty>}
        {...(mayWrite
          ? {
              actions: ({ deliveryId, eventType, lastFailure }: WebhookDeliveryResource) => (
                <Button
                  kind="quiet"
                  size="small"
                  icon={RotateCcw}
                  label={say('webhooks.replay', { what: say(`webhooks.event.${eventType}`) })}
                  isDisabled={!webhook.enabled || lastFailure === 'erased'}
                  onPress={() => replay.mutate({ params: { ...params, deliveryId } })}
                />
              ),
            }
          : {})}
      />
    </Section>
  );
}

function Result({ delivery, nowMs }: { readonly delivery: WebhookDeliveryResource; readonly nowMs: number }) {
  const { attempts, lastFailure, lastStatus, nextAttemptAt, state } = delivery;
  const outcome =
    lastFailure === null
      ? lastStatus === null
        ? say('webhooks.not-sent')
        : say('webhooks.answered', { status: lastStatus })
      : say(`webhooks.failure.${lastFailure}`, { status: lastStatus ?? 0 });
  return (
    <span className="svcd-two-lines">
      <span>{outcome}</span>
      <span className="svcd-small">
        {[
          attempts > 0 ? say('webhooks.attempts', { count: attempts }) : null,
          state === 'pending' && nextAttemptAt !== null
            ? say('webhooks.next', { at: format.relative(nextAttemptAt, nowMs) })
            : null,
        ]
          .filter((text) => text !== null)
          .join(' · ')}
      </span>
    </span>
  );
}

/** Whether it is told, and why not. */
export function WebhookBadge({ webhook }: { readonly webhook: WebhookResource }) {
  if (webhook.enabled) return <Badge tone="good">{say('webhooks.enabled')}</Badge>;
  const reason = webhook.disabledReason ?? 'owner';
  return <Badge tone={reason === 'owner' ? 'neutral' : 'bad'}>{say(`webhooks.disabled.${reason}`)}</Badge>;
}
