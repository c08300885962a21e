import { useNavigate, useSearch } from '@tanstack/react-router';
import { Fingerprint, Mail } from 'lucide';
import { type FormEvent, type ReactNode, useState } from 'react';
import { storeSession } from '../../api/client.ts';
import { useAct, useRead, useTask } from '../../api/hooks.ts';
import { PageHeader } from '../../components/blocks.tsx';
import { Button } from '../../components/controls.tsx';
import { TextField } from '../../components/field.tsx';
import { Notice, Problem } from '../../components/status.tsx';
import { language, say } from '../../text/index.ts';
import { hasPasskeys, isAddress, signInWithPasskey } from './passkey.ts';

interface Search {
  /** Where the person was going. */
  readonly back?: string;
  readonly ended?: boolean;
  readonly error?: string;
}

/** An address of the dashboard to return to; the start for anything else. */
export const safeBack = (back: unknown): string =>
  typeof back === 'string' && /^\/(?![/\\])/.test(back) && !back.startsWith('/sign-in') ? back : '/';

export function SignInPage() {
  const navigate = useNavigate();
  const { back, ended, error: refused } = useSearch({ strict: false }) as Search;
  const methods = useRead('getSignInMethods', undefined, { staleMs: 300_000 });
  const signIn = useTask(
    () => signInWithPasskey(),
    (session) => {
      storeSession(session);
      return navigate({ to: safeBack(back), replace: true });
    },
  );
  const oidc = methods.data?.oidc ?? null;
  const hasMail = methods.data?.mail === true;
  return (
    <Alone title={say('sign-in.title')} lead={say('sign-in.lead')}>
      {ended === true && <Notice tone="info" title={say('sign-in.ended')} text={say('sign-in.ended-text')} />}
      {refused !== undefined && (
        <Notice tone="bad" title={say('errors.sign-in-failed')} text={say('sign-in.oidc-failed-text')} />
      )}
      <Problem error={methods.error} onRetry={() => void methods.refetch()} />
      <Problem error={signIn.error} />
      <div className="svcd-stack">
        {hasPasskeys() ? (
          <Button
            kind="primary"
            icon={Fingerprint}
            isBusy={signIn.isPending}
            onPress={() => signIn.mutate()}
            text={say('sign-in.passkey')}
          />
        ) : (
          <Notice tone="warning" text={say('sign-in.passkey-unsupported')} />
        )}
        {oidc !== null && (
          <a className="svcd-button" data-kind="secondary" href="/v1/sign-in/oidc">
            <span>{say('sign-in.with', { name: oidc.name })}</span>
          </a>
        )}
      </div>
      {hasMail && (
        <>
          <p className="svcd-or">{say('app.or')}</p>
          <MailForm />
        </>
      )}
      <p className="svcd-small">{say('sign-in.no-account')}</p>
    </Alone>
  );
}

function MailForm() {
  const request = useAct('requestSignInLink');
  const [email, setEmail] = useState('');
  const [isAsked, setAsked] = useState(false);
  const isRight = isAddress(email);

  function send(event: FormEvent): void {
    event.preventDefault();
    setAsked(true);
    if (isRight) request.mutate({ body: { email: email.trim(), language } });
  }

  if (request.isSuccess) {
    return (
      <Notice
        tone="good"
        title={say('sign-in.link-sent')}
        text={say('sign-in.link-sent-text', { email: email.trim() })}
      />
    );
  }
  return (
    <form className="svcd-stack" noValidate onSubmit={send}>
      <TextField
        label={say('app.email')}
        type="email"
        autoComplete="username webauthn"
        value={email}
        onChange={setEmail}
        error={isAsked && !isRight ? say('sign-in.email-invalid') : undefined}
      />
      <Problem error={request.error} />
      <Button type="submit" icon={Mail} isBusy={request.isPending} text={say('sign-in.send-link')} />
    </form>
  );
}

interface AloneProps {
  readonly title: string;
  readonly lead: string;
  readonly children: ReactNode;
}

export function Alone({ title, lead, children }: AloneProps) {
  return (
    <main className="svcd-alone">
      <div className="svcd-alone-card svcd-panel">
        <span className="svcd-mark" aria-hidden="true" />
        <PageHeader title={title} lead={lead} />
        {children}
      </div>
    </main>
  );
}
