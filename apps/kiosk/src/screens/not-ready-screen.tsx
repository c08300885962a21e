import type { DeviceStatus, NotReady } from '@svc/device-sdk';
import { Button, Icon, LoadingBar, Notice, ScreenFrame } from '@svc/ui';
import { Ticket } from 'lucide';
import { useKiosk } from '../app/context.ts';
import { notReadyText, syncFailureText } from '../text/reasons.ts';

/** For guests the standard check-in, for staff what to do. */
export function NotReadyScreen({ status, why }: { readonly status: DeviceStatus; readonly why: NotReady['reason'] }) {
  const { say, dispatch } = useKiosk();
  if (why === 'never-synced' && status.syncing) {
    return (
      <ScreenFrame name="not-ready" title={say('device.syncing')}>
        <LoadingBar />
      </ScreenFrame>
    );
  }
  const failed = status.lastSync?.ok === false ? syncFailureText(status.lastSync.reason) : null;
  return (
    <ScreenFrame name="not-ready" title={say('not-ready.title')}>
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
