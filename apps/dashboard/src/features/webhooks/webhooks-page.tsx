import type { WebhookDeliveryResource, WebhookDeliveryState, WebhookResource } from '@svc/protocol';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { KeyRound, Pencil, Plus, RotateCcw, Send, Trash2, Webhook } from 'lucide';
import { useState } from 'react';
import { useAct, useCan, usePages, useRead } from '../../api/hooks.ts';
import { Empty, Facts, PageHeader, Section } from '../../components/blocks.tsx';
import { Button, Link } from '../../components/controls.tsx';
import { CollectionPage, type Column, DataTable, moments } from '../../components/data-table.tsx';
import { SelectField } from '../../components/field.tsx';
import { ConfirmAct, useDialog } from '../../components/form.tsx';
import { Badge, Notice, Problem, type Tone, toast } from '../../components/status.tsx';
import { UnreadPage } from '../../components/tabbed-page.tsx';
import { format, say, useNow } from '../../text/index.ts';
import { SecretDialog, WebhookDialog } from './webhook-dialog.tsx';

/** All webhooks, or the one that the address names: `?webhook=whk_…`. */
export function WebhooksPage() {
  const { webhook } = useSearch({ strict: false }) as { readonly webhook?: unknown };
  return typeof webhook === 'string' ? <WebhookView key={webhook} webhookId={webhook} /> : <Webhooks />;
}

const columns: readonly Column<WebhookResource>[] = [
  { header: 'webhooks.url', width: 'minmax(14rem, 2fr)', sortBy: ({ url }) => url },
  { header: 'app.state', width: 'minmax(8rem, 0.8fr)', cell: (webhook) => <WebhookBadge webhook={webhook} /> },
  { header: 'webhooks.events', cell: ({ eventTypes }) => say('webhooks.events-count', { count: eventTypes.length }) },
  moments('doors.added', 'minmax(8rem, 0.8fr)', ({ createdAt }) => createdAt),
];

function Webhooks() {
  const mayWrite = useCan()('webhooks:write');
  const pages = usePages('listWebhooks', { query: { limit: 100 } });
  const { dialog, open } = useDialog();
  const openAdd = () => open(<WebhookDialog webhook={null} />);
  return (
    <>
      <CollectionPage
        title={say('webhooks.title')}
        lead={say('webhooks.lead')}
        columns={columns}
        pages={pages}
        rowKey={({ webhookId }) => webhookId}
        link={({ webhookId }) => ({ to: '/webhooks', search: { webhook: webhookId } })}
        add={mayWrite && <Button kind="primary" icon={Plus} onPress={openAdd} text={say('webhooks.add')} />}
        none={{ title: say('webhooks.none'), icon: Webhook, text: say('webhooks.none-help') }}
      />
      {dialog}
    </>
  );
}

interface OfWebhook {
  readonly webhook: WebhookResource;
}

function WebhookView({ webhookId }: { readonly webhookId: string }) {
  const webhook = useRead('getWebhook', { params: { webhookId } });
  const above = <Link to="/webhooks">{say('webhooks.title')}</Link>;
  if (webhook.data === undefined) return <UnreadPage query={webhook} title={say('webhooks.webhook')} above={above} />;
  const { host } = new URL(webhook.data.url);
  return (
    <>
      <PageHeader title={host} above={above} beside={<WebhookBadge webhook={webhook.data} />} />
      <div className="svcd-stack">
        <Settings webhook={webhook.data} />
        <Deliveries webhook={webhook.data} />
      </div>
    </>
  );
}

function Settings({ webhook }: OfWebhook) {
  const navigate = useNavigate();
  const mayWrite = useCan()('webhooks:write');
  const { dialog, open } = useDialog();
  const params = { webhookId: webhook.webhookId };
  const enable = useAct('updateWebhook');
  const setEnabled = (enabled: boolean) => enable.mutate({ params, body: { enabled } });
  const test = useAct('testWebhook', { onSuccess: () => toast({ text: say('webhooks.test-sent') }) });
  const reason = webhook.disabledReason ?? 'owner';
  const rotation = (
    <ConfirmAct
      operation="rotateWebhookSecret"
      input={{ params }}
      title={say('webhooks.rotate-title')}
      text={say('webhooks.rotate-help')}
      action={say('webhooks.rotate')}
      kind="primary"
      onDone={(made) => open(<SecretDialog secret={made.secret} formerUntil={made.formerSecretValidUntil} />)}
    />
  );
  const removal = (
    <ConfirmAct
      operation="deleteWebhook"
      input={{ params }}
      title={say('webhooks.delete-title')}
      text={say('webhooks.delete-help')}
      action={say('webhooks.delete')}
      told={say('webhooks.deleted')}
      onDone={() => navigate({ to: '/webhooks', search: {} } as never)}
    />
  );
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
              text={say('webhooks.test')}
            />
            <Button
              icon={Pencil}
              onPress={() => open(<WebhookDialog webhook={webhook} />)}
              text={say('webhooks.edit-short')}
            />
          </>
        )
      }
    >
      <Problem error={enable.error ?? test.error} />
      {!webhook.enabled && (
        <Notice
          tone={reason === 'owner' ? 'info' : 'bad'}
          title={say(`webhooks.disabled.${reason}`)}
          text={say(`webhooks.disabled.${reason}-help`)}
          action={
            mayWrite && (
              <Button
                size="small"
                isBusy={enable.isPending}
                onPress={() => setEnabled(true)}
                text={say('webhooks.enable')}
              />
            )
          }
        />
      )}
      <Facts
        facts={{
          'webhooks.url': <span className="svcd-code">{webhook.url}</span>,
          'doors.added': format.dateTime(webhook.createdAt),
        }}
      />
      <div>
        <p className="svcd-small">{say('webhooks.events')}</p>
        <ul className="svcd-plain svcd-row">
          {webhook.eventTypes.map((type) => (
            <li key={type}>
              <Badge>{say(`webhooks.event.${type}`)}</Badge>
            </li>
          ))}
        </ul>
      </div>
      {mayWrite && (
        <div className="svcd-row">
          <Button icon={KeyRound} onPress={() => open(rotation)} text={say('webhooks.rotate')} />
          {webhook.enabled && (
            <Button isBusy={enable.isPending} onPress={() => setEnabled(false)} text={say('webhooks.disable')} />
          )}
          <Button kind="danger" icon={Trash2} onPress={() => open(removal)} text={say('webhooks.delete')} />
        </div>
      )}
      {dialog}
    </Section>
  );
}

const states = ['any', 'pending', 'delivered', 'dead'] as const;
const tones: Readonly<Record<WebhookDeliveryState, Tone>> = { pending: 'accent', delivered: 'good', dead: 'bad' };

const deliveryColumns: readonly Column<WebhookDeliveryResource>[] = [
  { header: 'webhooks.what', cell: ({ eventType }) => say(`webhooks.event.${eventType}`) },
  { header: 'app.state', cell: ({ state }) => <Badge tone={tones[state]}>{say(`webhooks.delivery.${state}`)}</Badge> },
  { header: 'webhooks.result', width: 'minmax(9rem, 1.4fr)', cell: (delivery) => <Result delivery={delivery} /> },
  moments('app.when', 'minmax(8rem, 1fr)', ({ createdAt }) => createdAt),
];

function Deliveries({ webhook }: OfWebhook) {
  const mayWrite = useCan()('webhooks:write');
  const [chosen, setChosen] = useState<(typeof states)[number]>('any');
  const params = { webhookId: webhook.webhookId };
  const state = chosen === 'any' ? undefined : chosen;
  const pages = usePages('listWebhookDeliveries', { params, query: { state, limit: 100 } });
  const replay = useAct('replayWebhookDelivery', { onSuccess: () => toast({ text: say('webhooks.replayed') }) });
  const replayOf = ({ deliveryId, eventType, lastFailure }: WebhookDeliveryResource) => (
    <Button
      kind="quiet"
      size="small"
      icon={RotateCcw}
      label={say('webhooks.replay', { what: say(`webhooks.event.${eventType}`) })}
      isDisabled={!webhook.enabled || lastFailure === 'erased'}
      onPress={() => replay.mutate({ params: { ...params, deliveryId } })}
    />
  );
  return (
    <Section title={say('webhooks.deliveries')} lead={say('webhooks.deliveries-help')}>
      <Problem error={replay.error} />
      <div className="svcd-row svcd-filters">
        <SelectField
          label={say('app.state')}
          value={chosen}
          onChange={setChosen}
          options={states.map((value) => ({
            value,
            label: say(value === 'any' ? 'guests.state.all' : `webhooks.delivery.${value}`),
          }))}
        />
      </div>
      <DataTable
        label={say('webhooks.deliveries')}
        columns={deliveryColumns}
        pages={pages}
        rowKey={({ deliveryId }) => deliveryId}
        empty={<Empty title={say('webhooks.no-deliveries')} text={say('webhooks.no-deliveries-help')} />}
        actions={mayWrite && replayOf}
      />
    </Section>
  );
}

function Result({ delivery }: { readonly delivery: WebhookDeliveryResource }) {
  const nowMs = useNow();
  const { attempts, lastFailure, lastStatus, nextAttemptAt, state } = delivery;
  const answer =
    lastStatus === null ? say('webhooks.not-sent') : say('webhooks.failure.status', { status: lastStatus });
  const notes = [
    attempts > 0 && say('webhooks.attempts', { count: attempts }),
    state === 'pending' &&
      nextAttemptAt !== null &&
      say('webhooks.next', { at: format.relative(nextAttemptAt, nowMs) }),
  ];
  return (
    <span className="svcd-two-lines">
      <span>{lastFailure === null ? answer : say(`webhooks.failure.${lastFailure}`, { status: lastStatus ?? 0 })}</span>
      <span className="svcd-small">{notes.filter((note) => note !== false).join(' · ')}</span>
    </span>
  );
}

function WebhookBadge({ webhook }: OfWebhook) {
  if (webhook.enabled) return <Badge tone="good">{say('keys.state-active')}</Badge>;
  const reason = webhook.disabledReason ?? 'owner';
  return <Badge tone={reason === 'owner' ? 'neutral' : 'bad'}>{say(`webhooks.disabled.${reason}`)}</Badge>;
}
