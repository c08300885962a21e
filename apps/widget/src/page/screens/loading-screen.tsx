import { LoadingBar } from '@svc/ui';
import { usePage } from '../app/context.ts';
import { Screen } from '../app/screen.tsx';
import { TroubleNotice } from '../app/trouble-notice.tsx';
import type { Trouble } from '../flow/state.ts';

export function LoadingScreen({ trouble }: { readonly trouble: Trouble | null }) {
  const { say } = usePage();
  return (
    <Screen name="loading" title={say('loading.title')}>
      {trouble === null ? <LoadingBar /> : null}
      <TroubleNotice trouble={trouble} />
    </Screen>
  );
}
