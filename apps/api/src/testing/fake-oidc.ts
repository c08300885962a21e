import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

interface Grant {
  readonly redirectUri: string;
  readonly challenge: string;
  readonly nonce: string;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** An OpenID provider on 127.0.0.1 whose person is whoever a test says. */
export interface FakeOidc {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /**
   * What the provider does after the person agreed.
   * @param url that the service leads to
   * @param claims of the ID token, besides the usual ones
   * @returns the redirect address with `code` and `state`
   */
  agree(url: string, claims: Readonly<Record<string, unknown>>): URL;
  close(): Promise<void>;
}

const SECONDS = 1_000;
const base64Url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

export async function startFakeOidc(): Promise<FakeOidc> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const [clientId, clientSecret] = ['svc', 'a secret: with + and %'];
  const grants = new Map<string, Grant>();
  let issuer = '';

  const idToken = ({ nonce, claims }: Grant): string => {
    const now = Math.floor(Date.now() / SECONDS);
    const said = { iss: issuer, aud: clientId, sub: 'somebody', iat: now, exp: now + 60, nonce, ...claims };
    const signed = `${base64Url({ alg: 'RS256', kid: 'one' })}.${base64Url(said)}`;
    return `${signed}.${sign('sha256', Buffer.from(signed), privateKey).toString('base64url')}`;
  };

  const answer = (response: ServerResponse, status: number, body: object) =>
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));

  function exchange(response: ServerResponse, form: URLSearchParams): void {
    const code = form.get('code') ?? '';
    const grant = grants.get(code);
    grants.delete(code);
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const isClient = form.get('client_id') === clientId && form.get('client_secret') === clientSecret;
    if (!isClient) return void answer(response, 401, { error: 'invalid_client' });
    if (grant === undefined || grant.challenge !== challenge || grant.redirectUri !== form.get('redirect_uri')) {
      return void answer(response, 400, { error: 'invalid_grant' });
    }
    const token = { access_token: randomBytes(16).toString('hex'), token_type: 'bearer', id_token: idToken(grant) };
    answer(response, 200, token);
  }

  // Never ends an idle connection that the service is about to use.
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    if (request.url === '/.well-known/openid-configuration') {
      return void answer(response, 200, {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
      });
    }
    if (request.url === '/keys') {
      return void answer(response, 200, {
        keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'one', use: 'sig', alg: 'RS256' }],
      });
    }
    void text(request).then((body) => exchange(response, new URLSearchParams(body)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    ...{ issuer, clientId, clientSecret },
    agree(url, claims) {
      const asked = new URL(url).searchParams;
      const code = randomBytes(16).toString('hex');
      const redirectUri = asked.get('redirect_uri') ?? '';
      const [challenge, nonce] = [asked.get('code_challenge') ?? '', asked.get('nonce') ?? ''];
      grants.set(code, { redirectUri, challenge, nonce, claims });
      const back = new URL(redirectUri);
      back.search = new URLSearchParams({ code, state: asked.get('state') ?? '' }).toString();
      return back;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
