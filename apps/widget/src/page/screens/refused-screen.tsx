import { Button, Icon, Notice } from '@svc/ui';
import { Camera } from 'lucide';
import { AttemptsLeft } from '../app/attempts-left.tsx';
import { usePage } from '../app/context.ts';
import { DeclineButton } from '../app/decline-button.tsx';
import { FileButton } from '../app/file-button.tsx';
import { Screen } from '../app/screen.tsx';
import type { RefusedStep } from '../flow/state.ts';

/** Why the photo would not do, and how the next one does. The camera is off, so that this can be read in peace. */
export function RefusedScreen({ step: { refusal } }: { readonly step: RefusedStep }) {
  const { say, dispatch } = usePage();
  return (
    <Screen name="refused" title={say(`refused.${refusal}`)}>
      <Notice tone="other" title={say('refused.title')}>
        <p>{say(`refused.${refusal}-do`)}</p>
      </Notice>
      <AttemptsLeft />
      <div class="photo-ways">
        <Button kind="primary" onPress={() => dispatch({ type: 'camera-pressed' })}>
          <Icon of={Camera} />
          <span>{say('refused.camera')}</span>
        </Button>
        <FileButton />
      </div>
      <div class="ways-out">
        <DeclineButton />
      </div>
    </Screen>
  );
}
