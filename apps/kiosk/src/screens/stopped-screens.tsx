import type { DeviceStatus } from '@svc/device-sdk';
import { Button, CheckField, Dialog, Icon, LoadingBar, Notice, ScreenFrame } from '@svc/ui';
import { Ticket } from 'lucide';
import { useState } from 'preact/hooks';
import type { OpenFailure } from '../device/port.ts';
import type { TextKey } from '../text/index.ts';
import { failedSyncText, notReadyText } from '../text/reasons.ts';
import { type ScreenOf, waysOut } from '../view-model/screen.ts';
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

interface WaysOutProps {
  readonly status: DeviceStatus;
  readonly ways?: ScreenOf<'device'>['ways'];
  readonly onPairAgain: () => void;
}

/** What staff can do about a device that can't verify; the likeliest is the main button. */
export function WaysOut({ status, ways = waysOut(status), onPairAgain }: WaysOutProps) {
  const { say, dispatch } = useKiosk();
  const buttons = {
    door: { onPress: () => dispatch({ type: 'door-pressed' }), children: say('device.to-door') },
    'pair-again': { onPress: onPairAgain, children: say('pair.again') },
    sync: {
      onPress: () => dispatch({ type: 'sync-pressed' }),
      busy: status.syncing,
      children: say(status.syncing ? 'device.syncing' : 'device.sync'),
    },
  };
  return ways.map((way, i) => <Button key={way} kind={i === 0 ? 'primary' : 'secondary'} {...buttons[way]} />);
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
      <Notice title={say('pin.title')}>
        <p>{say(notReadyText(why))}</p>
        {failed === null ? null : <p>{say(failed)}</p>}
      </Notice>
      <div class="svc-actions">
        <WaysOut status={status} onPairAgain={() => dispatch({ type: 'pair-again-pressed' })} />
      </div>
    </ScreenFrame>
  );
}

type MainButton = readonly ['retry-pressed' | 'staff-in-view-confirmed' | 'pair-again-pressed', TextKey];

/** What helps where another try does not. */
const mainButtons: Partial<Readonly<Record<OpenFailure, MainButton>>> = {
  'passive-liveness-missing': ['staff-in-view-confirmed', 'stopped.staff-in-view'],
  'configuration-invalid': ['pair-again-pressed', 'pair.again'],
};

export function StoppedScreen({ failure, unpairing, details, canUnpair }: ScreenOf<'stopped'>) {
  const { say, dispatch } = useKiosk();
  const [type, text] = mainButtons[failure] ?? ['retry-pressed', 'stopped.retry'];
  return (
    <ScreenFrame name="stopped" title={say('stopped.title')}>
      <p>{say(`stopped.${failure}`, { details: details ?? '' })}</p>
      {details === null ? null : <p class="muted">{details}</p>}
      <div class="svc-actions">
        <Button kind="primary" onPress={() => dispatch({ type })}>
          {say(text)}
        </Button>
        {canUnpair ? (
          <Button kind="danger" onPress={() => dispatch({ type: 'unpair-pressed' })}>
            {say('device.unpair')}
          </Button>
        ) : null}
      </div>
      {unpairing ? <UnpairQuestion status={null} /> : null}
    </ScreenFrame>
  );
}
