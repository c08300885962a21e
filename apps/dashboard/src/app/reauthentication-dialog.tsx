import { useQueryClient } from '@tanstack/react-query';
import type { AnyRouter } from '@tanstack/react-router';
import { useApi, useTask } from '../api/hooks.ts';
import type { Session } from '../api/operations.ts';
import { SESSION_KEY, useStoreSession } from '../api/session.tsx';
import { Button } from '../components/button.tsx';
import { Dialog } from '../components/dialog.tsx';
import { Problem } from '../components/status.tsx';
import { reauthenticate } from '../features/sign-in/passkey.ts';
import { useSay } from '../text/language.tsx';

/**
 * Asks for the passkey again before a change that cannot be undone; somebody without a passkey signs in again.
 * @param o.router the page's
 */
export function ReauthenticationDialog({
  router,
  isOpen,
  onAnswer: answer,
}: {
  readonly router: AnyRouter;
  readonly isOpen: boolean;
  readonly onAnswer: (isConfirmed: boolean) => void;
}) {
  const say = useSay();
  const api = useApi();
  const cache = useQueryClient();
  const storeSession = useStoreSession();
  const confirm = useTask(
    () => reauthenticate(api),
    (session) => {
      storeSession(session);
      answer(true);
    },
  );
  const close = () => {
    confirm.reset();
    answer(false);
  };
  const session = cache.getQueryData<Session | null>(SESSION_KEY);
  const hasPasskey = (session?.passkeys ?? 0) > 0;
  const signInAgain = () => {
    const back = router.state.location.href;
    close();
    void router.navigate({ to: '/sign-in' as string, search: { back } as never });
  };
  return (
    <Dialog
      isOpen={isOpen}
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
