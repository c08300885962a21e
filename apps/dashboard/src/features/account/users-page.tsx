import { useSay } from '../../app/language.tsx';
import { PageHeader } from '../../components/page-header.tsx';

export function UsersPage() {
  const say = useSay();
  return <PageHeader title={say('users.title')} />;
}
