/** An HTTP request. */
export interface TransportRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The body of a POST; absent for a GET. */
  readonly body?: Uint8Array;
  /** Aborting must end the request and the body's iteration. */
  readonly signal: AbortSignal;
}

/** An HTTP response. */
export interface TransportAnswer {
  readonly status: number;
  /** Lower case, without parameters; empty if not given. */
  readonly mediaType: string;
  /** As announced; null if not given. Not trusted: the body is counted. */
  readonly contentLength: number | null;
  /** The body as it arrives. Leaving the loop early ends the request. */
  readonly body: AsyncIterable<Uint8Array>;
}

/**
 * One GET, or with a body one POST. Resolves with any HTTP status; rejects without an answer (offline, refused, aborted). Must not follow
 * redirects, send cookies or cache, so that a captive portal cannot pose as the service.
 */
export type Transport = (request: TransportRequest) => Promise<TransportAnswer>;
