import { useState } from 'react';
import { useApi } from '../../api/hooks.ts';
import { useSay } from '../../app/language.tsx';
import { Button } from '../../components/button.tsx';
import { Notice } from '../../components/notice.tsx';
import { Problem } from '../../components/problem.tsx';
import { Alone } from './alone.tsx';
import { createPasskey, describeBrowser, hasPasskeys } from './passkey.ts';

/** Offers a passkey to somebody who has signed in by a link. */
export function PasskeyStep({ onDone }: { readonly onDone: () => void }) {
  const say = useSay();
  const api = useApi();
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);

  async function create(): Promise<void> {
    setBusy(true);
    setError(null);
    try {
      await createPasskey(api, describeBrowser(navigator.userAgent) ?? say('me.unknown-device'));
      onDone();
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  }

  return (
    <Alone key="passkey" title={say('sign-in.passkey-title')} lead={say('sign-in.passkey-text')}>
      {hasPasskeys() ? (
        <p className="svcd-muted">{say('sign-in.passkey-stays')}</p>
      ) : (
        <Notice tone="warning">{say('sign-in.passkey-unsupported')}</Notice>
      )}
      {error !== null && <Problem error={error} />}
      <div className="svcd-stack">
        {hasPasskeys() && (
          <Button kind="primary" isBusy={isBusy} onPress={() => void create()}>
            {say('sign-in.passkey-create')}
          </Button>
        )}
        <Button kind="quiet" onPress={onDone}>
          {say('sign-in.passkey-later')}
        </Button>
      </div>
    </Alone>
  );
}
