import { Button } from '../components/button.tsx';
import { Empty } from '../components/empty.tsx';
import { Link } from '../components/link.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { Problem } from '../components/problem.tsx';
import { useSay } from './language.tsx';

/** An address that does not exist. */
export function NotFoundPage() {
  const say = useSay();
  return (
    <>
      <PageHeader title={say('app.not-found')} />
      <Empty title={say('app.not-found-help')}>
        <Link to="/">{say('app.to-start')}</Link>
      </Empty>
    </>
  );
}

/** A page that could not be fetched or failed while it was drawn. */
export function FailedPage({ error, reset }: { readonly error: Error; readonly reset: () => void }) {
  const say = useSay();
  return (
    <>
      <PageHeader title={say('app.failed')} />
      <Problem error={error} />
      <Button onPress={reset}>{say('app.try-again')}</Button>
    </>
  );
}
