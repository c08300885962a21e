import { useNavigate, useSearch } from '@tanstack/react-router';
import { Fingerprint, Mail } from 'lucide';
import { type FormEvent, useState } from 'react';
import { useAct, useApi, useRead } from '../../api/hooks.ts';
import { useLanguage, useSay } from '../../app/language.tsx';
import { useStoreSession } from '../../app/session.tsx';
import { Button } from '../../components/button.tsx';
import { TextField } from '../../components/field.tsx';
import { Notice } from '../../components/notice.tsx';
import { Problem } from '../../components/problem.tsx';
import { Alone } from './alone.tsx';
import { hasPasskeys, signInWithPasskey } from './passkey.ts';

interface Search {
  /** Where the person was going. */
  readonly back?: string;
  readonly ended?: boolean;
  readonly error?: string;
}

/** An address of the dashboard to return to; the start for anything else. */
export const safeBack = (back: unknown): string =>
  typeof back === 'string' && /^\/(?![/\\])/.test(back) && !back.startsWith('/sign-in') ? back : '/';

/** Signing in: with a passkey, by a link in a mail, or at the organisation's own provider. */
export function SignInPage() {
  const say = useSay();
  const api = useApi();
  const navigate = useNavigate();
  const storeSession = useStoreSession();
  const { back, ended, error: refused } = useSearch({ strict: false }) as Search;
  const methods = useRead('getSignInMethods', undefined, { staleMs: 300_000 });
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);

  async function signIn(): Promise<void> {
    setBusy(true);
    setError(null);
    try {
      storeSession(await signInWithPasskey(api));
      await navigate({ to: safeBack(back), replace: true });
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  }

  const oidc = methods.data?.oidc ?? null;
  const hasMail = methods.data?.mail === true;
  return (
    <Alone title={say('sign-in.title')} lead={say('sign-in.lead')}>
      {ended === true && (
        <Notice tone="info" title={say('sign-in.ended')}>
          {say('sign-in.ended-text')}
        </Notice>
      )}
      {refused !== undefined && (
        <Notice tone="bad" title={say('sign-in.oidc-failed')}>
          {say('sign-in.oidc-failed-text')}
        </Notice>
      )}
      {methods.error !== null && <Problem error={methods.error} onRetry={() => void methods.refetch()} />}
      {error !== null && <Problem error={error} />}
      <div className="svcd-stack">
        {hasPasskeys() ? (
          <Button kind="primary" icon={Fingerprint} isBusy={isBusy} onPress={() => void signIn()}>
            {say('sign-in.passkey')}
          </Button>
        ) : (
          <Notice tone="warning">{say('sign-in.passkey-unsupported')}</Notice>
        )}
        {oidc !== null && (
          <a className="svcd-button" data-kind="secondary" href="/v1/sign-in/oidc">
            <span>{say('sign-in.with', { name: oidc.name })}</span>
          </a>
        )}
      </div>
      {hasMail && (
        <>
          <p className="svcd-or">{say('sign-in.or')}</p>
          <MailForm />
        </>
      )}
      <p className="svcd-small">{say('sign-in.no-account')}</p>
    </Alone>
  );
}

function MailForm() {
  const say = useSay();
  const language = useLanguage();
  const request = useAct('requestSignInLink');
  const [email, setEmail] = useState('');
  const [isAsked, setAsked] = useState(false);
  const isRight = /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email.trim());

  function send(event: FormEvent): void {
    event.preventDefault();
    setAsked(true);
    if (isRight) request.mutate({ body: { email: email.trim(), language } });
  }

  if (request.isSuccess) {
    return (
      <Notice tone="good" title={say('sign-in.link-sent')}>
        {say('sign-in.link-sent-text', { email: email.trim() })}
      </Notice>
    );
  }
  return (
    <form className="svcd-stack" noValidate onSubmit={send}>
      <TextField
        label={say('sign-in.email')}
        type="email"
        autoComplete="username webauthn"
        value={email}
        onChange={setEmail}
        error={isAsked && !isRight ? say('sign-in.email-invalid') : undefined}
      />
      {request.error !== null && <Problem error={request.error} />}
      <Button type="submit" icon={Mail} isBusy={request.isPending}>
        {say('sign-in.send-link')}
      </Button>
    </form>
  );
}
