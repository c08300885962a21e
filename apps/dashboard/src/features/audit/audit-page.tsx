import { useSay } from '../../app/language.tsx';
import { PageHeader } from '../../components/page-header.tsx';

export function AuditPage() {
  const say = useSay();
  return <PageHeader title={say('audit.title')} />;
}
