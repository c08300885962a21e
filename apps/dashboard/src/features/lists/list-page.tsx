import '../events/events.css';
import { useParams } from '@tanstack/react-router';
import { useRead } from '../../api/hooks.ts';
import { Facts, Figure, NextSteps, Section, type StepItem } from '../../components/blocks.tsx';
import { Link } from '../../components/controls.tsx';
import { ListStateBadge, Loading, Unread } from '../../components/status.tsx';
import { TabbedPage, UnreadPage, useCurrentList } from '../../components/tabbed-page.tsx';
import { format, say } from '../../text/index.ts';
import { DoorAlert } from '../doors/door-alert.tsx';
import { ArrivalsSection } from './arrivals.tsx';

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

export function ListOverviewTab() {
  const { listId } = useCurrentList();
  const params = { listId: listId ?? '' };
  const list = useRead('getList', { params });
  if (list.error !== null || list.data === undefined) return <Unread query={list} />;
  const { people, devices, retainDays, consentVersion, createdAt } = list.data;
  const steps: readonly StepItem[] = [
    {
      of: 'lists.step-people',
      scope: 'people:write',
      isDone: people > 0,
      to: { to: '/lists/$listId/import', params },
    },
    { of: 'events.step-door', scope: 'devices:write', isDone: devices > 0, to: { to: '/lists/$listId/doors', params } },
  ];
  return (
    <>
      <DoorAlert isElsewhere />
      <Section title={say('lists.numbers')}>
        <Facts
          facts={{
            'people.tab': <Figure of={people} />,
            'doors.tab': <Figure of={devices} />,
            'lists.kept-for': say('lists.kept-for-value', { count: retainDays }),
            'lists.wording': say(`lists.wording-${consentVersion}`),
            'lists.since': format.date(createdAt),
          }}
        />
      </Section>
      <ArrivalsSection listId={listId ?? ''} endsAt={null} />
      <NextSteps steps={steps} />
    </>
  );
}
