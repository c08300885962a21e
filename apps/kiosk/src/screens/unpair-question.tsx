import { Button, Dialog } from '@svc/ui';
import { useKiosk } from '../app/context.ts';

export function UnpairQuestion() {
  const { say, dispatch } = useKiosk();
  const keep = () => dispatch({ type: 'unpair-cancelled' });
  return (
    <Dialog title={say('device.unpair-question')} onCancel={keep}>
      <p>{say('device.unpair-explain')}</p>
      <div class="svc-actions">
        <Button onPress={keep} autoFocus>
          {say('device.unpair-keep')}
        </Button>
        <Button kind="danger" onPress={() => dispatch({ type: 'unpair-confirmed' })}>
          {say('device.unpair')}
        </Button>
      </div>
    </Dialog>
  );
}
