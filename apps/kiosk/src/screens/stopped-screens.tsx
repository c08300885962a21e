import type { DeviceStatus } from '@svc/device-sdk';
import { Button, CheckField, Dialog, Icon, LoadingBar, Notice, ScreenFrame } from '@svc/ui';
import { Ticket } from 'lucide';
import { useState } from 'preact/hooks';
import { mayUnpair } from '../device/port.ts';
import { failedSyncText, notReadyText } from '../text/reasons.ts';
import type { ScreenOf } from '../view-model/screen.ts';
import { useKiosk } from './context.ts';

/** Warns that check-ins would be lost. */
export function Undelivered({ status }: { readonly status: DeviceStatus | null }) {
  const { say } = useKiosk();
  const queued = status?.checkIns.queued ?? 0;
  return queued === 0 ? null : (
    <Notice tone="bad" title={say('device.check-ins-lost', { count: queued })}>
      <p>{say('device.check-ins-wait')}</p>
    </Notice>
  );
}

export function UnpairQuestion({ status }: { readonly status: DeviceStatus | null }) {
  const { say, dispatch } = useKiosk();
  const [final, setFinal] = useState(false);
  const keep = () => dispatch({ type: 'unpair-cancelled' });
  return (
    <Dialog title={say('device.unpair')} onCancel={keep}>
      <p>{say('device.unpair-explain')}</p>
      <Undelivered status={status} />
      <CheckField checked={final} onCheck={setFinal}>
        {say('device.unpair-final')}
      </CheckField>
      <div class="svc-actions">
        <Button onPress={keep} autoFocus>
          {say('attempt.cancel')}
        </Button>
        <Button kind="danger" onPress={() => dispatch({ type: 'unpair-confirmed', final })}>
          {say('device.unpair')}
        </Button>
      </div>
    </Dialog>
  );
}

/** Sends guests to the standard check-in, and tells staff what to do. */
export function NotReadyScreen({ status, why }: ScreenOf<'not-ready'>) {
  const { say, dispatch } = useKiosk();
  if (why === 'never-synced' && status.syncing) {
    return (
      <ScreenFrame name="not-ready" title={say('device.syncing')}>
        <LoadingBar />
      </ScreenFrame>
    );
  }
  const failed = failedSyncText(status);
  return (
    <ScreenFrame name="not-ready" title={say('result.standard-check-in')}>
      <div class="badge" data-tone="other">
        <Icon of={Ticket} />
      </div>
      <p class="lead">{say('result.standard-check-in-next')}</p>
      <Notice title={say('not-ready.for-staff')}>
        <p>{say(notReadyText(why))}</p>
        {failed === null ? null : <p>{say(failed)}</p>}
      </Notice>
      <div class="svc-actions">
        <Button onPress={() => dispatch({ type: 'sync-pressed' })} busy={status.syncing}>
          {say(status.syncing ? 'device.syncing' : 'device.sync')}
        </Button>
      </div>
    </ScreenFrame>
  );
}

export function StoppedScreen({ failure, unpairing }: ScreenOf<'stopped'>) {
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
      {unpairing ? <UnpairQuestion status={null} /> : null}
    </ScreenFrame>
  );
}
