/** What a node that is there to be killed is told. */
export type ToNode =
  | { readonly kind: 'start'; readonly environment: Readonly<Record<string, string>> }
  | { readonly kind: 'clock'; readonly offsetMs: number };

/** What it tells. */
export type FromNode =
  | { readonly kind: 'loaded' }
  | { readonly kind: 'listening'; readonly url: string }
  | { readonly kind: 'failed'; readonly reason: string };
