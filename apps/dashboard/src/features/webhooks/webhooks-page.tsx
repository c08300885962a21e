import { useSay } from '../../app/language.tsx';
import { PageHeader } from '../../components/page-header.tsx';

export function WebhooksPage() {
  const say = useSay();
  return <PageHeader title={say('webhooks.title')} />;
}
