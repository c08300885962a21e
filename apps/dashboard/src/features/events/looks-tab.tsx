import { useSay } from '../../app/language.tsx';
import { Loading } from '../../components/progress.tsx';
import { Section } from '../../components/section.tsx';
import { useEvent } from './event-hooks.ts';
import { LooksForm } from './looks-form.tsx';

/** Who the widget says the organiser is, and how it looks. */
export function LooksTab() {
  const say = useSay();
  const event = useEvent();
  if (event.data === undefined) return <Loading />;
  const { eventId, listId } = event.data;
  return (
    <Section title={say('events.looks')} lead={say('events.looks-lead')}>
      <LooksForm eventId={eventId} listId={listId} withOrganiser />
    </Section>
  );
}
