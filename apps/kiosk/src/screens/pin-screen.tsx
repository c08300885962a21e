import { Button, Dialog, LiveRegion, Notice, ScreenFrame, TextField } from '@svc/ui';
import { useEffect, useState } from 'preact/hooks';
import { isPin, PIN_DIGITS } from '../pairing/staff-pin.ts';
import type { ScreenOf } from '../view-model/screen.ts';
import type { PinRefusal } from '../view-model/state.ts';
import { useKiosk } from './context.ts';

const digits = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '0'] as const;

/**
 * A field for a PIN with keys on the screen, for a kiosk without a keyboard. The field takes the focus, so a keyboard
 * works too; the system's own keys do not open over it. Keeps the digits to itself until they are submitted.
 */
function PinPad({
  label,
  submit,
  busy = false,
  onPin,
  onCancel,
}: {
  readonly label: string;
  readonly submit: string;
  /** Nothing is accepted for now. */
  readonly busy?: boolean;
  readonly onPin: (pin: string) => void;
  readonly onCancel: () => void;
}) {
  const { say } = useKiosk();
  const [pin, setPin] = useState('');
  const [missing, setMissing] = useState(false);
  const change = (next: string) => {
    setMissing(false);
    setPin(next.replace(/[^0-9]/g, '').slice(0, PIN_DIGITS.max));
  };
  const entered = pin === '' ? '' : say('pin.entered', { count: pin.length });
  const announced = missing ? say('pin.digits', PIN_DIGITS) : entered;
  return (
    <form
      class="pin-pad"
      onSubmit={(event) => {
        event.preventDefault();
        if (busy) return;
        if (!isPin(pin)) return setMissing(true);
        setPin('');
        onPin(pin);
      }}
    >
      <TextField
        label={label}
        {...(missing ? { problem: say('pin.digits', PIN_DIGITS) } : { note: say('pin.digits', PIN_DIGITS) })}
        value={pin}
        onInput={change}
        secret
        hasOwnKeys
        takesFocus
      />
      <fieldset class="pin-keys" aria-label={say('pin.keys')}>
        {digits.map((digit) => (
          <Button key={digit} onPress={() => change(pin + digit)}>
            {digit}
          </Button>
        ))}
        <Button kind="quiet" onPress={() => change(pin.slice(0, -1))}>
          {say('pin.delete')}
        </Button>
      </fieldset>
      <LiveRegion text={announced} />
      <div class="svc-actions">
        <Button kind="primary" type="submit" busy={busy}>
          {submit}
        </Button>
        <Button onPress={onCancel}>{say('attempt.cancel')}</Button>
      </div>
    </form>
  );
}

/** Seconds until the next try, counted down. */
function useWait(refused: PinRefusal | null): number {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const untilMs = performance.now() + (refused?.waitMs ?? 0);
    const look = () => setSeconds(Math.max(0, Math.ceil((untilMs - performance.now()) / 1000)));
    look();
    if (refused === null || refused.waitMs === 0) return;
    const timer = setInterval(look, 500);
    return () => clearInterval(timer);
  }, [refused]);
  return seconds;
}

/** Asks staff for their PIN. */
export function PinScreen({ busy, refused }: ScreenOf<'pin'>) {
  const { say, dispatch } = useKiosk();
  const seconds = useWait(refused);
  return (
    <ScreenFrame name="pin" title={say('pin.title')}>
      <div role="alert">
        {refused === null || refused.problem === 'wait' ? null : (
          <Notice tone="bad" title={say(refused.problem === 'wrong' ? 'pin.wrong' : 'stopped.storage-failed')} />
        )}
      </div>
      {seconds > 0 ? (
        <p role="timer" aria-live="off">
          {say('pin.wait', { minutes: Math.floor(seconds / 60), seconds: String(seconds % 60).padStart(2, '0') })}
        </p>
      ) : null}
      <PinPad
        label={say('pin.label')}
        submit={say('result.next')}
        busy={busy || seconds > 0}
        onPin={(pin) => dispatch({ type: 'pin-entered', pin })}
        onCancel={() => dispatch({ type: 'pin-cancelled' })}
      />
    </ScreenFrame>
  );
}

/** Asks for a new PIN, twice. */
export function NewPin(o: { readonly onChosen: (pin: string) => void; readonly onClose: () => void }) {
  const { say } = useKiosk();
  const [first, setFirst] = useState<string | null>(null);
  const [differed, setDiffered] = useState(false);
  const onPin = (pin: string) => {
    if (first === null) {
      setDiffered(false);
      setFirst(pin);
    } else if (first === pin) {
      o.onChosen(pin);
      o.onClose();
    } else {
      setDiffered(true);
      setFirst(null);
    }
  };
  return (
    <Dialog title={say('pin.set')} onCancel={o.onClose}>
      <p>{say('pin.lost')}</p>
      <div role="alert">{differed ? <Notice tone="bad" title={say('pin.differ')} /> : null}</div>
      <PinPad
        key={first === null ? 'new' : 'repeat'}
        label={say(first === null ? 'pin.new' : 'pin.repeat')}
        submit={say(first === null ? 'result.next' : 'pin.save')}
        onPin={onPin}
        onCancel={o.onClose}
      />
    </Dialog>
  );
}

/** Sets and changes the PIN. */
export function PinSettings({ hasPin, failed }: { readonly hasPin: boolean; readonly failed: boolean }) {
  const { say, dispatch } = useKiosk();
  const [open, setOpen] = useState(false);
  return (
    <section class="stack" aria-labelledby="staff-pin">
      <h2 id="staff-pin">{say('pin.label')}</h2>
      {hasPin ? <p role="status">{say('pin.is-set')}</p> : <Notice tone="other" title={say('pin.recommended')} />}
      <div role="alert">{failed ? <Notice tone="bad" title={say('stopped.storage-failed')} /> : null}</div>
      <div class="svc-actions">
        <Button onPress={() => setOpen(true)}>{say(hasPin ? 'pin.change' : 'pin.set')}</Button>
      </div>
      {open ? (
        <NewPin onChosen={(pin) => dispatch({ type: 'pin-chosen', pin })} onClose={() => setOpen(false)} />
      ) : null}
    </section>
  );
}
