import { useSay } from '../../app/language.tsx';
import { PageHeader } from '../../components/page-header.tsx';

export function SignInPage() {
  const say = useSay();
  return <PageHeader title={say('sign-in.title')} />;
}
