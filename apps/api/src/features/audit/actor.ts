/** Who did something: a server of the organiser, a person at the deployment's command line, or the service by itself. */
export type Actor =
  | { readonly kind: 'api-key'; readonly keyId: string }
  | { readonly kind: 'operator'; readonly name: string }
  | { readonly kind: 'system' };

/** Who is behind a caller: its API key, unless somebody else acts in the account's name. */
export function actorOf(caller: { readonly keyId: string; readonly actor?: Actor }): Actor {
  return caller.actor ?? { kind: 'api-key', keyId: caller.keyId };
}
