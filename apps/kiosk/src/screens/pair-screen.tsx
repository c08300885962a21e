import type { DeviceStatus } from '@svc/device-sdk';
import { Button, Facts, Notice, ScreenFrame, TextField } from '@svc/ui';
import { useState } from 'preact/hooks';
import { cameraText, pairingProblemText } from '../text/reasons.ts';
import { mayConfirm, type ScreenOf } from '../view-model/screen.ts';
import { useKiosk } from './context.ts';
import { NotInstalled, Readiness } from './device-screen.tsx';
import { NewPin } from './pin-screen.tsx';
import { CodeCamera, Viewfinder } from './scan-screen.tsx';
import { Undelivered, WaysOut } from './stopped-screens.tsx';

export function PairScreen({ busy, problem, back, leaves, camera }: ScreenOf<'pair'>) {
  const { say, dispatch } = useKiosk();
  const [token, setToken] = useState('');
  const [scanning, setScanning] = useState(false);
  const enter = (text: string) => dispatch({ type: 'token-entered', text });
  return (
    <ScreenFrame name="pair" title={say(leaves ? 'pair.another' : 'pair.title')}>
      <p>{say('pair.explain')}</p>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          enter(token);
        }}
      >
        <TextField
          label={say('pair.token')}
          problem={problem === null ? null : say(pairingProblemText(problem))}
          value={token}
          onInput={setToken}
          secret
        />
        <div class="svc-actions">
          <Button kind="primary" type="submit" busy={busy}>
            {say('pair.submit')}
          </Button>
          <Button onPress={() => setScanning(!scanning)} pressed={scanning}>
            {say('pair.scan')}
          </Button>
          {back === null ? null : (
            <Button kind="quiet" onPress={() => dispatch({ type: 'pair-another-cancelled' })}>
              {say('attempt.cancel')}
            </Button>
          )}
        </div>
      </form>
      {scanning ? (
        <>
          <CodeCamera onCode={enter} />
          <Viewfinder />
        </>
      ) : null}
      {scanning && camera !== null ? <Notice tone="other" title={say(cameraText(camera))} /> : null}
    </ScreenFrame>
  );
}

/** Organiser, event and list. */
function WhoseList({ status }: { readonly status: DeviceStatus | null }) {
  const { say } = useKiosk();
  // A service of an earlier release sends none.
  const { organiser, event, list = status?.listId } = status?.names ?? {};
  const names = { organiser, event, list };
  const facts = (['organiser', 'event', 'list'] as const).flatMap((part) => {
    const value = names[part] ?? null;
    return value === null ? [] : [{ name: say(`confirm.${part}`), value }];
  });
  return <Facts facts={facts} />;
}

/** Asks whether the list that was fetched is the right one. A yes sets the PIN; a no deletes what was fetched. */
export function ConfirmScreen({ status, busy, failed }: ScreenOf<'confirm'>) {
  const { say, dispatch } = useKiosk();
  const [asksPin, setAsksPin] = useState(false);
  const isKnown = mayConfirm(status);
  const decline = () => dispatch({ type: 'pairing-declined' });
  return (
    <ScreenFrame name="confirm" title={say('confirm.title')}>
      <div aria-live="polite">{isKnown ? <WhoseList status={status} /> : <Readiness status={status} />}</div>
      {isKnown ? <p>{say('confirm.explain')}</p> : null}
      {status.erased === 'unattended-unsupported' ? <NotInstalled /> : null}
      <div role="alert">{failed ? <Notice tone="bad" title={say('stopped.storage-failed')} /> : null}</div>
      <div class="svc-actions">
        {isKnown ? (
          <Button kind="primary" busy={busy} onPress={() => setAsksPin(true)}>
            {say('pin.set')}
          </Button>
        ) : (
          <WaysOut status={status} onPairAgain={decline} />
        )}
        {isKnown || status.erased === null ? <Button onPress={decline}>{say('attempt.cancel')}</Button> : null}
      </div>
      {asksPin ? (
        <NewPin onChosen={(pin) => dispatch({ type: 'pairing-confirmed', pin })} onClose={() => setAsksPin(false)} />
      ) : null}
    </ScreenFrame>
  );
}

/** Asks before pairing with the token of a link, or with another token than before. */
export function OfferScreen({ leaves, busy, problem, status }: ScreenOf<'offer'>) {
  const { say, dispatch } = useKiosk();
  return (
    <ScreenFrame name="offer" title={say(leaves ? 'pair.another' : 'pair.title')}>
      {leaves ? <p>{say('pair.another-explain')}</p> : null}
      {leaves ? <WhoseList status={status} /> : null}
      {leaves ? <Undelivered status={status} /> : null}
      <div role="alert">{problem === null ? null : <Notice tone="bad" title={say(pairingProblemText(problem))} />}</div>
      <div class="svc-actions">
        <Button kind="primary" busy={busy} onPress={() => dispatch({ type: 'offer-accepted' })}>
          {say('pair.submit')}
        </Button>
        <Button onPress={() => dispatch({ type: 'offer-declined' })}>{say('attempt.cancel')}</Button>
      </div>
    </ScreenFrame>
  );
}
