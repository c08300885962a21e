import { useSay } from '../../app/language.tsx';
import { useSession } from '../../app/session.tsx';
import { CopyField } from '../../components/copy-field.tsx';

const withoutSlash = (url: string) => url.replace(/\/$/, '');

/** What an organiser's page holds for the widget, and the call of their server that makes a token for it. */
export function EmbedCode({ eventId }: { readonly eventId: string }) {
  const say = useSay();
  const { deployment } = useSession();
  const page = [
    '<div data-svc-token="ENROLMENT_TOKEN"></div>',
    `<script src="${withoutSlash(deployment.widgetUrl)}/widget.js" async></script>`,
  ].join('\n');
  const call = [
    `curl -s ${location.origin}/v1/events/${eventId}/enrolment-tokens \\`,
    '  -H "X-Api-Key: $SVC_API_KEY" -H "Content-Type: application/json" \\',
    `  -d '{"ticketId":"TICKET_NUMBER"}'`,
  ].join('\n');
  return (
    <div className="svcd-stack">
      <CopyField label={say('events.embed-page')} help={say('events.embed-page-help')} value={page} isBlock />
      <CopyField label={say('events.embed-server')} help={say('events.embed-server-help')} value={call} isBlock />
    </div>
  );
}
