import { useSay } from '../../app/language.tsx';
import { PageHeader } from '../../components/page-header.tsx';

export function ConsentsPage() {
  const say = useSay();
  return <PageHeader title={say('consents.title')} />;
}
