export interface TransportRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Aborting must end the request and the body's iteration. */
  readonly signal: AbortSignal;
}

export interface TransportAnswer {
  readonly status: number;
  /** Without parameters, lower case; empty when there is none. */
  readonly mediaType: string;
  /** As announced; null when it was not. Never trusted: the body is counted. */
  readonly contentLength: number | null;
  /** The body as it comes. Ends or throws; leaving the loop early ends the request. */
  readonly body: AsyncIterable<Uint8Array>;
}

/**
 * One GET. Rejects when no answer came (offline, refused, aborted); any status that came is an answer.
 * Must not follow redirects, send cookies or cache: a captive portal must not pose as the service.
 */
export type Transport = (request: TransportRequest) => Promise<TransportAnswer>;
