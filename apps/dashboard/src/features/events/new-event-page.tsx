import { useSay } from '../../app/language.tsx';
import { PageHeader } from '../../components/page-header.tsx';

export function NewEventPage() {
  const say = useSay();
  return <PageHeader title={say('events.new')} />;
}
