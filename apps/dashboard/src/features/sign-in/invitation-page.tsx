import { useSay } from '../../app/language.tsx';
import { PageHeader } from '../../components/page-header.tsx';

export function InvitationPage() {
  const say = useSay();
  return <PageHeader title={say('sign-in.title')} />;
}
