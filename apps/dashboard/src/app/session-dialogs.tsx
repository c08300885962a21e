import type { AnyRouter } from '@tanstack/react-router';
import { confirmation, currentSession, storeSession } from '../api/client.ts';
import { useTask } from '../api/hooks.ts';
import { Button } from '../components/controls.tsx';
import { CloseProvider, ConfirmAct, Dialog, useClose } from '../components/form.tsx';
import { Problem } from '../components/status.tsx';
import { reauthenticate } from '../features/sign-in/passkey.ts';
import { say } from '../text/index.ts';

/** Asks for the passkey again before a change that needs a fresh sign-in; somebody without a passkey signs in again. */
export const ReauthenticationDialog = (o: { readonly router: AnyRouter }) => (
  <CloseProvider value={() => confirmation.answer(false)}>
    <Question {...o} />
  </CloseProvider>
);

/** Asks before the sign-out with which an unfinished import is lost. */
export const SignOutDialog = (o: { readonly onClose: () => void; readonly onDone: () => void }) => (
  <CloseProvider value={o.onClose}>
    <ConfirmAct
      {...{ operation: 'signOut', input: {}, onDone: o.onDone, action: say('sign-in.sign-out') }}
      {...{ title: say('sign-in.import-unfinished'), text: say('sign-in.import-unfinished-text') }}
    />
  </CloseProvider>
);

function Question({ router }: { readonly router: AnyRouter }) {
  const confirm = useTask(reauthenticate, (session) => {
    storeSession(session);
    confirmation.answer(true);
  });
  const close = useClose();
  const hasPasskey = (currentSession()?.passkeys ?? 0) > 0;
  const signInAgain = () => {
    const back = router.state.location.href;
    close();
    void router.navigate({ to: '/sign-in' as string, search: { back } as never });
  };
  return (
    <Dialog
      title={say('sign-in.confirm-title')}
      actions={
        hasPasskey ? (
          <Button
            kind="primary"
            isBusy={confirm.isPending}
            onPress={() => confirm.mutate()}
            text={say('sign-in.confirm')}
          />
        ) : (
          <Button kind="primary" onPress={signInAgain} text={say('sign-in.again')} />
        )
      }
    >
      <p>{say(hasPasskey ? 'sign-in.confirm-text' : 'sign-in.confirm-signin-text')}</p>
      <Problem error={confirm.error} />
    </Dialog>
  );
}
