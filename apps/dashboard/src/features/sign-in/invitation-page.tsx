import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { storeSession } from '../../api/client.ts';
import { useAct, useTask } from '../../api/hooks.ts';
import { Button, ButtonLink } from '../../components/controls.tsx';
import { Notice, Problem } from '../../components/status.tsx';
import { say } from '../../text/index.ts';
import { createPasskey, describeBrowser, hasPasskeys } from './passkey.ts';
import { Alone } from './sign-in-page.tsx';

/** Takes the token out of the address, so that neither the history nor a copied address holds it. */
function takeToken(): string | null {
  const token = location.hash.slice(1);
  if (token === '') return null;
  history.replaceState(history.state, '', location.pathname + location.search);
  return token;
}

let taken: string | null = null;

/** Another link that is opened in this tab changes the fragment alone. */
const onOtherLink = () => location.hash !== '' && location.reload();

/**
 * A link that works once: signs in, then offers a passkey. It waits for a press, because programs that look at links in
 * mails open them, too.
 */
export function InvitationPage() {
  const navigate = useNavigate();
  const [token] = useState(() => {
    taken = takeToken() ?? taken;
    return taken;
  });
  const signIn = useAct('signInWithLink');
  useEffect(() => {
    addEventListener('hashchange', onOtherLink);
    return () => removeEventListener('hashchange', onOtherLink);
  }, []);
  const [isSignedIn, setSignedIn] = useState(false);
  const toStart = () => void navigate({ to: '/' as string, replace: true });

  function use(link: string): void {
    signIn.mutate(
      { body: { token: link } },
      {
        onSuccess: (session) => {
          taken = null;
          storeSession(session);
          if (session.passkeys > 0) toStart();
          else setSignedIn(true);
        },
      },
    );
  }

  if (isSignedIn) return <PasskeyStep onDone={toStart} />;
  const toSignIn = <ButtonLink to="/sign-in" text={say('sign-in.to-sign-in')} />;
  if (token === null) {
    return (
      <Alone title={say('sign-in.link-missing')} lead={say('sign-in.link-missing-text')}>
        {toSignIn}
      </Alone>
    );
  }
  return (
    <Alone title={say('sign-in.link-title')} lead={say('sign-in.link-text')}>
      <Problem error={signIn.error} />
      <div className="svcd-stack">
        <Button
          kind="primary"
          isBusy={signIn.isPending}
          onPress={() => use(token)}
          autoFocus
          text={say('app.continue')}
        />
        {signIn.error !== null && toSignIn}
      </div>
    </Alone>
  );
}

export function PasskeyStep({ onDone }: { readonly onDone: () => void }) {
  const create = useTask(() => createPasskey(describeBrowser(navigator.userAgent) ?? say('me.unknown-device')), onDone);
  return (
    <Alone key="passkey" title={say('sign-in.passkey-title')} lead={say('sign-in.passkey-text')}>
      {hasPasskeys() ? (
        <p className="svcd-muted">{say('sign-in.passkey-stays')}</p>
      ) : (
        <Notice tone="warning" text={say('sign-in.passkey-unsupported')} />
      )}
      <Problem error={create.error} />
      <div className="svcd-stack">
        {hasPasskeys() && (
          <Button
            kind="primary"
            isBusy={create.isPending}
            onPress={() => create.mutate()}
            text={say('sign-in.passkey-create')}
          />
        )}
        <Button kind="quiet" onPress={onDone} text={say('sign-in.passkey-later')} />
      </div>
    </Alone>
  );
}
