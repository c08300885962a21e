import { useSay } from '../../app/language.tsx';
import { PageHeader } from '../../components/page-header.tsx';

export function KeysPage() {
  const say = useSay();
  return <PageHeader title={say('keys.title')} />;
}
