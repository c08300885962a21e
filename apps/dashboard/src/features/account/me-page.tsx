import { useSay } from '../../app/language.tsx';
import { PageHeader } from '../../components/page-header.tsx';

export function MePage() {
  const say = useSay();
  return <PageHeader title={say('me.title')} />;
}
