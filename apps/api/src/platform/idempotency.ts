import type { Transaction } from '../db/connection.ts';

/** What an `Idempotency-Key` identifies. */
export interface NamedRequest {
  readonly accountId: string;
  /** Owner of the keys within the account: one for all API keys, one per guest token. */
  readonly owner: string;
  /** Method and path pattern, such as `POST /v1/lists/:listId/people`. */
  readonly route: string;
  /** `Idempotency-Key` as received. */
  readonly key: string;
}

/** One POST with an `Idempotency-Key`. */
export interface KeyedRequest extends NamedRequest {
  /** Path and query. */
  readonly target: string;
  /** Lower-case hex. */
  readonly bodySha256: string;
}

/** The stored outcome of a request. */
export interface Outcome {
  /** Status, headers and body as JSON; null when it contains a secret: only `resourceId` is stored then. */
  readonly answer: string | null;
  readonly resourceId?: string | undefined;
  /** The person in the answer, with whom the stored answer is erased. */
  readonly about?: { readonly listId: string; readonly personId: string } | undefined;
}

/** The exclusive right of one node to carry a request out. */
export interface Claim {
  /**
   * Stores the outcome in the effect's own transaction, so that both are committed or neither.
   * @param tx null when the request had no effect that a repeat would duplicate
   * @throws ServiceError 'request-in-flight' when the claim was lost to another node; the transaction must not commit
   */
  complete(tx: Transaction | null, outcome: Outcome): Promise<void>;
  /**
   * Releases the key after a request without effect; does nothing after {@link complete} was committed. If it fails, the
   * key is free a few seconds later, as after the end of the node.
   */
  release(): Promise<void>;
  /** Wipes the keys; the claim is unusable afterwards. */
  close(): void;
}

/** One effect per key, across nodes, repeats and crashes. */
export interface CarriedOutOnce {
  /**
   * @returns the answer of an earlier request with this key, or a claim
   * @throws ServiceError 'idempotency-key-reused', 'request-in-flight', 'secret-already-issued' or 'answer-erased'
   */
  begin(request: KeyedRequest): Promise<{ readonly answer: string } | { readonly claim: Claim }>;
  /** Whether {@link begin} would find an earlier request, without comparing contents. */
  isCarriedOut(request: NamedRequest): Promise<boolean>;
}
