import { Button, ScreenFrame } from '@svc/ui';
import { useKiosk } from '../app/context.ts';
import type { OpenFailure } from '../device/port.ts';

export function StoppedScreen({ failure }: { readonly failure: OpenFailure }) {
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
        {failure === 'configuration-invalid' ? (
          <Button kind="danger" onPress={() => dispatch({ type: 'unpair-confirmed' })}>
            {say('device.unpair')}
          </Button>
        ) : null}
      </div>
    </ScreenFrame>
  );
}
