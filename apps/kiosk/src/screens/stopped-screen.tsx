import { Button, ScreenFrame } from '@svc/ui';
import { useKiosk } from '../app/context.ts';
import { mayUnpair, type OpenFailure } from '../device/port.ts';
import { UnpairQuestion } from './unpair-question.tsx';

export function StoppedScreen({ failure, unpairing }: { readonly failure: OpenFailure; readonly unpairing: boolean }) {
  const { say, dispatch } = useKiosk();
  return (
    <ScreenFrame name="stopped" title={say('stopped.title')}>
      <p>{say(`stopped.${failure}`)}</p>
      <div class="svc-actions">
        {failure === 'passive-liveness-missing' ? (
          <Button kind="primary" onPress={() => dispatch({ type: 'staff-in-view-confirmed' })}>
            {say('stopped.staff-in-view')}
          </Button>
        ) : (
          <Button kind="primary" onPress={() => dispatch({ type: 'retry-pressed' })}>
            {say('stopped.retry')}
          </Button>
        )}
        {mayUnpair(failure) ? (
          <Button kind="danger" onPress={() => dispatch({ type: 'unpair-pressed' })}>
            {say('device.unpair')}
          </Button>
        ) : null}
      </div>
      {unpairing ? <UnpairQuestion /> : null}
    </ScreenFrame>
  );
}
