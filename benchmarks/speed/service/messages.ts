/** Baseline for a sync: a route of the same application with all of its middleware, and one query. */
export const ONE_ROW_PATH = '/bench/one-row';

/** Requests to the API's process. */
export type ApiRequest = 'usage' | 'stop';

export interface StartedMessage {
  readonly kind: 'started';
  readonly url: string;
  /** Null unless the environment has `SVC_METRICS_PORT`. */
  readonly metricsUrl: string | null;
  readonly accountId: string;
  readonly apiKey: string;
  /** Of the region's signing key. */
  readonly keyId: string;
  /** Raw Ed25519 public key, base64url. */
  readonly signingKey: string;
}

export interface UsageMessage {
  readonly kind: 'usage';
  /** Of all threads since the start. */
  readonly processorMs: number;
  readonly residentBytes: number;
}

export type ApiMessage = StartedMessage | UsageMessage;
