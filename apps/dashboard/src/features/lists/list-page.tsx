import { format, say } from '../../text/index.ts';
import '../events/events.css';
import { useParams } from '@tanstack/react-router';
import { useRead } from '../../api/hooks.ts';
import { useLive } from '../../api/live.ts';
import { useCan } from '../../api/session.tsx';
import { Facts, Section, Steps } from '../../components/blocks.tsx';
import { Link } from '../../components/link.tsx';
import { ListStateBadge, Loading, Unread } from '../../components/status.tsx';
import { TabbedPage, UnreadPage, useCurrentList } from '../../components/tabbed-page.tsx';
import { DoorAlert } from '../doors/door-alert.tsx';

/** An ongoing list with its tabs. */
export function ListPage() {
  const { listId = '' } = useParams({ strict: false }) as { readonly listId?: string };
  const list = useRead('getList', { params: { listId } });
  const above = <Link to="/lists">{say('lists.title')}</Link>;
  if (list.error !== null) return <UnreadPage query={list} title={say('app.list')} above={above} />;
  if (list.data === undefined) return <Loading />;
  return (
    <TabbedPage
      current={{ listId, eventId: list.data.eventId ?? null }}
      title={list.data.name}
      above={above}
      beside={<ListStateBadge state={list.data.state} />}
    />
  );
}

/** An ongoing list at a glance: its numbers, and what to do next. */
export function ListOverviewTab() {
  const can = useCan();
  const { listId } = useCurrentList();
  const params = { listId: listId ?? '' };
  useLive('people', listId);
  const list = useRead('getList', { params }, { everyMs: 30_000 });
  if (list.error !== null || list.data === undefined) return <Unread query={list} />;
  const { people, devices, retainDays, consentVersion, createdAt } = list.data;
  const steps = [
    {
      key: 'people',
      scope: 'people:write' as const,
      isDone: people > 0,
      title: say('lists.step-people'),
      text: say('lists.step-people-help'),
      to: { to: '/lists/$listId/import', params },
    },
    {
      key: 'door',
      scope: 'devices:write' as const,
      isDone: devices > 0,
      title: say('events.step-door'),
      text: say('events.step-door-help'),
      to: { to: '/lists/$listId/doors', params },
    },
  ].filter(({ scope }) => can(scope));
  return (
    <>
      <DoorAlert isElsewhere />
      <Section title={say('lists.numbers')}>
        <Facts
          facts={[
            { label: say('lists.people'), value: <span className="svcd-figure">{format.number(people)}</span> },
            { label: say('lists.doors'), value: <span className="svcd-figure">{format.number(devices)}</span> },
            { label: say('lists.kept-for'), value: say('lists.kept-for-value', { count: retainDays }) },
            { label: say('lists.wording'), value: say(`lists.wording-${consentVersion}`) },
            { label: say('lists.since'), value: format.date(createdAt) },
          ]}
        />
      </Section>
      {steps.some(({ isDone }) => !isDone) && (
        <Section title={say('events.next-steps')} lead={say('app.next-steps-lead')}>
          <Steps steps={steps} />
        </Section>
      )}
    </>
  );
}
