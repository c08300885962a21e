import type { WebhookEventType, WebhookResource } from '@svc/protocol';
import { type FormEvent, useId, useState } from 'react';
import { hasCode } from '../../api/errors.ts';
import { useAct } from '../../api/hooks.ts';
import { useSay } from '../../app/language.tsx';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { CheckField, TextField } from '../../components/field.tsx';
import { Problem } from '../../components/problem.tsx';
import { toast } from '../../components/toast.tsx';
import { allEventTypes, eventGroups, urlFault } from './event-types.ts';
import { SecretDialog } from './secret-dialog.tsx';

/** Adds a webhook, or changes one. */
export function WebhookDialog({
  webhook,
  onClose,
}: {
  /** Null: a new one. */
  readonly webhook: WebhookResource | null;
  readonly onClose: () => void;
}) {
  const say = useSay();
  const form = useId();
  const [url, setUrl] = useState(webhook?.url ?? '');
  const [chosen, setChosen] = useState<readonly WebhookEventType[]>(webhook?.eventTypes ?? allEventTypes);
  const [isTried, setTried] = useState(false);
  const create = useAct('createWebhook');
  const update = useAct('updateWebhook', {
    onSuccess: () => {
      toast({ text: say('app.saved') });
      onClose();
    },
  });
  const act = webhook === null ? create : update;
  const refused = [create.error, update.error].some(
    (error) => hasCode(error, 'invalid-request') && error.refuses('/url'),
  );
  const fault = urlFault(url);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (fault !== null || chosen.length === 0) return;
    const body = { url: url.trim(), eventTypes: [...chosen] };
    if (webhook === null) create.mutate({ body });
    else update.mutate({ params: { webhookId: webhook.webhookId }, body });
  };
  const choose = (type: WebhookEventType, isChosen: boolean) =>
    setChosen(allEventTypes.filter((each) => (each === type ? isChosen : chosen.includes(each))));

  if (create.data !== undefined) return <SecretDialog secret={create.data.secret} onClose={onClose} />;
  return (
    <Dialog
      isOpen
      // The secret in the answer is shown once.
      onClose={create.isPending ? () => undefined : onClose}
      title={say(webhook === null ? 'webhooks.add' : 'webhooks.edit')}
      actions={
        <Button kind="primary" type="submit" form={form} isBusy={act.isPending}>
          {say(webhook === null ? 'webhooks.create' : 'app.save')}
        </Button>
      }
    >
      {act.error !== null && !refused && <Problem error={act.error} />}
      <form id={form} className="svcd-form" onSubmit={submit} noValidate>
        <TextField
          label={say('webhooks.url')}
          help={say('webhooks.url-help')}
          error={refused ? say('webhooks.url-refused') : isTried && fault !== null ? say(fault) : undefined}
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
              <legend className="svcd-small">{say(`webhooks.group.${group}`)}</legend>
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
      </form>
    </Dialog>
  );
}
