import type { WebhookEventType, WebhookResource } from '@svc/protocol';
import { useState } from 'react';
import { hasCode } from '../../api/errors.ts';
import { useAct } from '../../api/hooks.ts';
import { OutsideLink } from '../../components/controls.tsx';
import { CheckField, TextField } from '../../components/field.tsx';
import { Dialog, FormDialog, useClose } from '../../components/form.tsx';
import { CopyField } from '../../components/hand-over.tsx';
import { Notice, toast } from '../../components/status.tsx';
import { format, say, type TextKey, words } from '../../text/index.ts';

/** What a webhook can be told of, by subject: `webhooks.event.<type>`. */
const eventGroups = {
  'people.tab': ['person.enrolled', 'person.declined', 'person.deleted'],
  'events.title': ['event.created', 'event.updated', 'event.ended', 'event.deleted'],
  'lists.title': ['list.created', 'list.closed', 'list.ended', 'list.resumed'],
  'doors.tab': ['device.added', 'device.revoked', 'device.synced-late', 'device.wipe-sent'],
} as const satisfies Partial<Record<TextKey, readonly WebhookEventType[]>>;

const allEventTypes: readonly WebhookEventType[] = Object.values(eventGroups).flat();

/** What is wrong with an address, before the service is asked: a text's key, or null. */
function urlFault(text: string): 'webhooks.url-missing' | 'webhooks.url-not-https' | null {
  if (text.trim() === '') return 'webhooks.url-missing';
  return /^https:\/\/[^\s/?#@]+/i.test(text.trim()) ? null : 'webhooks.url-not-https';
}

/** @param o.webhook null: a new one */
export function WebhookDialog({ webhook }: { readonly webhook: WebhookResource | null }) {
  const close = useClose();
  const [url, setUrl] = useState(webhook?.url ?? '');
  const [chosen, setChosen] = useState<readonly WebhookEventType[]>(webhook?.eventTypes ?? allEventTypes);
  const [isTried, setTried] = useState(false);
  const create = useAct('createWebhook');
  const update = useAct('updateWebhook', {
    onSuccess: () => {
      toast({ text: say('app.saved') });
      close();
    },
  });
  const act = webhook === null ? create : update;
  const isRefused = hasCode(act.error, 'invalid-request') && act.error.refuses('/url');
  const fault = urlFault(url);
  const submit = () => {
    setTried(true);
    if (fault !== null || chosen.length === 0) return;
    const body = { url: url.trim(), eventTypes: [...chosen] };
    if (webhook === null) return create.mutate({ body });
    update.mutate({ params: { webhookId: webhook.webhookId }, body });
  };
  const choose = (type: WebhookEventType, isChosen: boolean) =>
    setChosen(allEventTypes.filter((each) => (each === type ? isChosen : chosen.includes(each))));

  if (create.data !== undefined) return <SecretDialog secret={create.data.secret} />;
  return (
    <FormDialog
      holdsSecret={webhook === null}
      title={say(webhook === null ? 'webhooks.add' : 'webhooks.edit')}
      act={isRefused ? { ...act, error: null } : act}
      action={say(webhook === null ? 'webhooks.create' : 'app.save')}
      onSubmit={submit}
    >
      <TextField
        {...words('webhooks.url')}
        error={isRefused ? say('webhooks.url-refused') : isTried && fault !== null ? say(fault) : undefined}
        type="url"
        value={url}
        onChange={setUrl}
        placeholder="https://"
        isRequired
        autoFocus
        autoComplete="off"
      />
      <fieldset className="svcd-fieldset">
        <legend>{say('webhooks.events')}</legend>
        {isTried && chosen.length === 0 && (
          <span className="svcd-error" role="alert">
            {say('webhooks.events-missing')}
          </span>
        )}
        {(Object.keys(eventGroups) as (keyof typeof eventGroups)[]).map((group) => (
          <fieldset key={group} className="svcd-fieldset">
            <legend className="svcd-small">{say(group)}</legend>
            {eventGroups[group].map((type) => (
              <CheckField
                key={type}
                label={say(`webhooks.event.${type}`)}
                value={chosen.includes(type)}
                onChange={(isChosen) => choose(type, isChosen)}
              />
            ))}
          </fieldset>
        ))}
      </fieldset>
    </FormDialog>
  );
}

export interface SecretDialogProps {
  readonly secret: string;
  /** Until when the former secret signs as well; null for a new webhook. */
  readonly formerUntil?: string | null;
}

export function SecretDialog({ secret, formerUntil = null }: SecretDialogProps) {
  return (
    <Dialog isKept title={say('webhooks.secret')} cancelLabel={say('webhooks.secret-kept')}>
      <CopyField {...words('webhooks.secret')} value={secret} />
      <Notice tone="warning" text={say('webhooks.secret-once')} />
      {formerUntil !== null && <p>{say('webhooks.secret-former', { until: format.dateTime(formerUntil) })}</p>}
      <p>
        <OutsideLink href="https://www.standardwebhooks.com/">{say('webhooks.scheme')}</OutsideLink>
      </p>
    </Dialog>
  );
}
