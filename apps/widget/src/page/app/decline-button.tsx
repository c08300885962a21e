import { Button } from '@svc/ui';
import { usePage, useSession } from './context.ts';

/** The other way out, in the wording's own words; one press, wherever one is. */
export function DeclineButton({ kind = 'quiet' }: { readonly kind?: 'quiet' | 'choice' | 'secondary' }) {
  const { dispatch, newKey } = usePage();
  const { wording } = useSession();
  return (
    <Button kind={kind} onPress={() => dispatch({ type: 'decline-pressed', key: newKey() })}>
      {wording.decline}
    </Button>
  );
}
