import { useSay } from '../../app/language.tsx';
import { PageHeader } from '../../components/page-header.tsx';

export function NewListPage() {
  const say = useSay();
  return <PageHeader title={say('lists.new')} />;
}
