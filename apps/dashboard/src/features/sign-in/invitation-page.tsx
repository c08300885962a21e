import type { FirstOwner } from '@svc/protocol';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import { storeSession } from '../../api/client.ts';
import { useAct, useTask } from '../../api/hooks.ts';
import { Button, ButtonLink } from '../../components/controls.tsx';
import { SelectField, TextField } from '../../components/field.tsx';
import { Form, useValues } from '../../components/form.tsx';
import { Notice, Problem } from '../../components/status.tsx';
import { language, say, words } from '../../text/index.ts';
import { countryOptions } from '../../text/places.ts';
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

/** A hook: signs in with the link's token, which works once, and then leads to the passkey or to the start. */
function useLink() {
  const navigate = useNavigate();
  const [token] = useState(() => {
    taken = takeToken() ?? taken;
    return taken;
  });
  const act = useAct('signInWithLink');
  useEffect(() => {
    addEventListener('hashchange', onOtherLink);
    return () => removeEventListener('hashchange', onOtherLink);
  }, []);
  const [isSignedIn, setSignedIn] = useState(false);
  const toStart = () => void navigate({ to: '/' as string, replace: true });

  function use(link: string, owner?: FirstOwner): void {
    act.mutate(
      { body: { token: link, ...(owner && { owner }) } },
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

  const toSignIn = <ButtonLink to="/sign-in" text={say('sign-in.to-sign-in')} />;
  if (isSignedIn) return { token, act, use, instead: <PasskeyStep onDone={toStart} />, toSignIn };
  const missing = (
    <Alone title={say('sign-in.link-missing')} lead={say('sign-in.link-missing-text')}>
      {toSignIn}
    </Alone>
  );
  return { token, act, use, instead: token === null ? missing : null, toSignIn };
}

/** An invitation or a link by mail. It waits for a press, because programs that look at links in mails open them, too. */
export function InvitationPage() {
  const { token, act, use, instead, toSignIn } = useLink();
  if (token === null || instead !== null) return instead;
  return (
    <Alone title={say('sign-in.link-title')} lead={say('sign-in.link-text')}>
      <Problem error={act.error} />
      <div className="svcd-stack">
        <Button kind="primary" isBusy={act.isPending} onPress={() => use(token)} autoFocus text={say('app.continue')} />
        {act.error !== null && toSignIn}
      </div>
    </Alone>
  );
}

/** The link that a service prints while nobody can sign in: who the owner is, and of what. */
export function FirstOwnerPage() {
  const { of } = useSearch({ strict: false }) as { readonly of?: string };
  const { token, act, use, instead } = useLink();
  const { values, bind } = useValues({ organisation: '', country: '', name: '', email: '' });
  const countries = useMemo(() => [{ value: '', label: '–' }, ...countryOptions().slice(1)], []);
  if (token === null || instead !== null) return instead;

  function submit(): void {
    const { organisation, country, ...person } = values;
    const made = { name: organisation.trim(), country: country === '' ? null : country };
    if (token !== null) use(token, { ...person, language, ...(of === undefined && { organisation: made }) });
  }

  return (
    <Alone
      title={say('sign-in.link-title')}
      lead={of === undefined ? say('sign-in.first-owner') : say('sign-in.first-owner-of', { of })}
    >
      <Form act={act} action={say('sign-in.first-owner-do')} isCheckedByBrowser onSubmit={submit}>
        {of === undefined && (
          <>
            <TextField
              {...words('sign-in.organisation')}
              {...bind('organisation')}
              isRequired
              maxLength={200}
              autoComplete="organization"
              autoFocus
            />
            <SelectField {...words('sign-in.country')} {...bind('country')} options={countries} />
          </>
        )}
        <TextField label={say('sign-in.own-name')} {...bind('name')} isRequired maxLength={200} autoComplete="name" />
        <TextField label={say('app.email')} type="email" {...bind('email')} isRequired autoComplete="email" />
      </Form>
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
