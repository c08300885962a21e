import { Button, Notice, ScreenFrame, TextField } from '@svc/ui';
import { useState } from 'preact/hooks';
import { useKiosk } from '../app/context.ts';
import type { CameraProblem, PairingProblem } from '../view-model/state.ts';
import { CodeCamera } from './scan-screen.tsx';

export function PairScreen({
  busy,
  problem,
  camera,
}: {
  readonly busy: boolean;
  readonly problem: PairingProblem | null;
  readonly camera: CameraProblem | null;
}) {
  const { say, dispatch, serviceHost } = useKiosk();
  const [token, setToken] = useState('');
  const [scanning, setScanning] = useState(false);
  const enter = (text: string) => dispatch({ type: 'token-entered', text });
  return (
    <ScreenFrame name="pair" title={say('pair.title')}>
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
          note={say('pair.token-note')}
          problem={problem === null ? null : say(`pair.${problem}`)}
          value={token}
          onInput={setToken}
          secret
        />
        <div class="svc-actions">
          <Button kind="primary" type="submit" busy={busy}>
            {say('pair.submit')}
          </Button>
          <Button onPress={() => setScanning(!scanning)} pressed={scanning}>
            {say(scanning ? 'pair.scan-stop' : 'pair.scan')}
          </Button>
        </div>
      </form>
      {scanning ? <CodeCamera onCode={enter} /> : null}
      {scanning && camera !== null ? <Notice tone="other" title={say(`camera.${camera}`)} /> : null}
      <p class="muted">{say('pair.service', { host: serviceHost })}</p>
    </ScreenFrame>
  );
}
