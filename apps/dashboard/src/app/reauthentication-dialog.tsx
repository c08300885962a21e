import type { AnyRouter } from '@tanstack/react-router';
import { useTask } from '../api/hooks.ts';
import { api, confirmation, currentSession, storeSession } from '../api/page.ts';
import { Button } from '../components/button.tsx';
import { Dialog } from '../components/dialog.tsx';
import { Problem } from '../components/status.tsx';
import { reauthenticate } from '../features/sign-in/passkey.ts';
import { say } from '../text/index.ts';

/** Asks for the passkey again before a change that cannot be undone; somebody without a passkey signs in again. */
export function ReauthenticationDialog(o: { readonly router: AnyRouter; readonly isOpen: boolean }) {
  const confirm = useTask(
    () => reauthenticate(api),
    (session) => {
      storeSession(session);
      confirmation.answer(true);
    },
  );
  const close = () => {
    confirm.reset();
    confirmation.answer(false);
  };
  const hasPasskey = (currentSession()?.passkeys ?? 0) > 0;
  const signInAgain = () => {
    const back = o.router.state.location.href;
    close();
    void o.router.navigate({ to: '/sign-in' as string, search: { back } as never });
  };
  return (
    <Dialog
      isOpen={o.isOpen}
      onClose={close}
      title={say('sign-in.confirm-title')}
      actions={
        hasPasskey ? (
          <Button kind="primary" isBusy={confirm.isPending} onPress={() => confirm.mutate()}>
            {say('sign-in.confirm')}
          </Button>
        ) : (
          <Button kind="primary" onPress={signInAgain}>
            {say('sign-in.again')}
          </Button>
        )
      }
    >
      <p>{say(hasPasskey ? 'sign-in.confirm-text' : 'sign-in.confirm-signin-text')}</p>
      {confirm.error !== null && <Problem error={confirm.error} />}
    </Dialog>
  );
}
