import { useRead } from '../../api/hooks.ts';
import { useLive } from '../../api/live.ts';
import { useCurrentList } from '../../app/current-list.ts';
import { useFormat, useSay } from '../../app/language.tsx';
import { useCan } from '../../app/session.tsx';
import { Facts } from '../../components/facts.tsx';
import { Problem } from '../../components/problem.tsx';
import { Loading } from '../../components/progress.tsx';
import { Section } from '../../components/section.tsx';
import { DoorAlert } from '../doors/door-alert.tsx';
import { Steps } from '../events/steps.tsx';

/** An ongoing list at a glance: its numbers, and what to do next. */
export function ListOverviewTab() {
  const say = useSay();
  const can = useCan();
  const format = useFormat();
  const { listId } = useCurrentList();
  const params = { listId: listId ?? '' };
  useLive('people', listId);
  const list = useRead('getList', { params }, { everyMs: 30_000 });
  if (list.error !== null) return <Problem error={list.error} onRetry={() => void list.refetch()} />;
  if (list.data === undefined) return <Loading />;
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
        <Section title={say('events.next-steps')} lead={say('lists.next-steps-lead')}>
          <Steps steps={steps} />
        </Section>
      )}
    </>
  );
}
