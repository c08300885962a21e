import { newUuid } from '@svc/page-kit';
import { useState } from 'react';
import { api, cache } from '../../api/client.ts';
import { hasCode } from '../../api/errors.ts';
import { useAct, useCan, useRead, useSession, useTask } from '../../api/hooks.ts';
import type { AnswerOf } from '../../api/operations.ts';
import { Button, OutsideLink } from '../../components/controls.tsx';
import { CopyField, LocalOnly, QrCode } from '../../components/hand-over.tsx';
import { Notice, Problem, toast } from '../../components/status.tsx';
import { format, say, words } from '../../text/index.ts';

export const TEST_TICKET = 'test-guest-';
const HOURS = 24;

/** A guest link for the organiser's own phone: as QR code and as a link, and what became of it. */
export function TestGuest({ eventId, listId }: { readonly eventId: string; readonly listId: string }) {
  const can = useCan();
  const [link, setLink] = useState<AnswerOf<'createEnrolmentToken'> | null>(null);
  const make = useTask(
    () =>
      api.call('createEnrolmentToken', {
        params: { eventId },
        body: { ticketId: `${TEST_TICKET}${newUuid().slice(0, 8)}`, validForHours: HOURS },
      }),
    (made) => {
      setLink(made);
      return cache.invalidateQueries({ queryKey: ['events'] });
    },
  );
  const guests = useRead(
    'listPeople',
    { params: { listId }, query: { personIdPrefix: TEST_TICKET, limit: 1 } },
    { enabled: can('people:read') },
  );
  const token = useRead(
    'getEnrolmentToken',
    { params: { eventId, tokenId: link?.tokenId ?? '' } },
    { enabled: link !== null && can('people:read') },
  );
  const remove = useAct('deletePerson', {
    alsoChanges: ['events'],
    onSuccess: () => {
      setLink(null);
      toast({ text: say('events.test-removed') });
    },
  });
  const guest = guests.data?.items[0];

  if (guest !== undefined) {
    return (
      <Notice
        tone="good"
        title={say('events.test-done')}
        action={
          can('people:write') && (
            <Button
              isBusy={remove.isPending}
              onPress={() => remove.mutate({ params: { listId, personId: guest.personId } })}
              text={say('events.test-remove')}
            />
          )
        }
      >
        {say('events.test-done-help', { ticketId: guest.personId, until: format.dateTime(guest.deleteAfter) })}
        <Problem error={remove.error} />
      </Notice>
    );
  }
  if (!can('people:write')) return <Notice text={say('events.test-no-right')} />;
  const state = token.data?.state ?? 'valid';
  if (link === null || (state !== 'valid' && state !== 'used')) {
    return (
      <div className="svcd-stack">
        {link !== null && <Notice tone="warning" text={say(`events.test-${state}` as 'events.test-declined')} />}
        {make.error !== null &&
          (hasCode(make.error, 'secret-already-issued') ? (
            <Notice tone="warning" text={say('events.test-lost')} />
          ) : (
            <Problem error={make.error} />
          ))}
        <Button kind="primary" isBusy={make.isPending} onPress={() => make.mutate()} text={say('events.test-make')} />
      </div>
    );
  }
  const url = link.url ?? '';
  return (
    <div className="svcd-columns">
      <QrCode text={url} label={say('events.test-qr')} />
      <div className="svcd-stack">
        <p>{say('events.test-scan')}</p>
        <LocalOnly url={url} />
        <CopyField label={say('events.test-link')} value={url} />
        <p className="svcd-muted">
          <OutsideLink href={url}>{say('events.test-open')}</OutsideLink>
          {' · '}
          {say('events.test-until', { until: format.dateTime(link.expiresAt) })}
        </p>
        <p role="status" className="svcd-row">
          <span className="svcd-spinner" aria-hidden="true" />
          {say('events.test-waiting')}
        </p>
      </div>
    </div>
  );
}

const withoutSlash = (url: string) => url.replace(/\/$/, '');

/** What an organiser's page holds for the widget, and the call of their server that makes a token for it. */
export function EmbedCode({ eventId }: { readonly eventId: string }) {
  const { deployment } = useSession();
  const page = [
    '<div data-svc-token="ENROLMENT_TOKEN"></div>',
    `<script src="${withoutSlash(deployment.widgetUrl)}/widget.js" async></script>`,
  ].join('\n');
  const call = [
    `curl -s ${deployment.apiUrl ?? location.origin}/v1/events/${eventId}/enrolment-tokens \\`,
    '  -H "X-Api-Key: $SVC_API_KEY" -H "Content-Type: application/json" \\',
    `  -d '{"ticketId":"TICKET_NUMBER"}'`,
  ].join('\n');
  return (
    <div className="svcd-stack">
      <CopyField {...words('events.embed-page')} value={page} isBlock />
      <CopyField {...words('events.embed-server')} value={call} isBlock />
    </div>
  );
}
