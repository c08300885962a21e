import { useSay } from '../../app/language.tsx';
import { PageHeader } from '../../components/page-header.tsx';

export function UsagePage() {
  const say = useSay();
  return <PageHeader title={say('usage.title')} />;
}
