import { Button, LoadingBar } from '@svc/ui';
import { usePage } from '../app/context.ts';
import { Screen, TroubleNotice } from '../app/screen-parts.tsx';
import type { Step, Trouble } from '../flow/state.ts';

export function DecliningScreen({ step }: { readonly step: Extract<Step, { name: 'declining' }> }) {
  const { say, dispatch } = usePage();
  // It is unknown whether a photo whose answer was lost has arrived.
  const isSafe = step.back.name !== 'sending';
  return (
    <Screen name="declining" title={say('declining.title')}>
      {step.trouble === null ? <LoadingBar /> : null}
      <TroubleNotice trouble={step.trouble} explain={isSafe ? say('trouble.not-enrolled') : null}>
        <Button kind="quiet" onPress={() => dispatch({ type: 'back-pressed' })}>
          {say('trouble.back')}
        </Button>
      </TroubleNotice>
    </Screen>
  );
}

export function LoadingScreen({
  name = 'loading',
  trouble,
}: {
  readonly name?: 'loading' | 'undoing';
  readonly trouble: Trouble | null;
}) {
  const { say } = usePage();
  return (
    <Screen name={name} title={say('loading.title')}>
      {trouble === null ? <LoadingBar /> : null}
      <TroubleNotice trouble={trouble} />
    </Screen>
  );
}
