import { useSay } from '../../app/language.tsx';
import { PageHeader } from '../../components/page-header.tsx';

export function EventsPage() {
  const say = useSay();
  return <PageHeader title={say('events.title')} />;
}
