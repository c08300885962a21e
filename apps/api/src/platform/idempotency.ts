import type { Transaction } from '../db/connection.ts';

/** What an `Idempotency-Key` stands for. */
export interface NamedRequest {
  readonly accountId: string;
  /** Whose keys these are within the account: all API keys share theirs, a guest's token has its own. */
  readonly owner: string;
  /** Method and pattern of the path, for example `POST /v1/lists/:listId/people`. */
  readonly route: string;
  /** `Idempotency-Key`, as it was sent. */
  readonly key: string;
}

/** One POST with an `Idempotency-Key`. */
export interface KeyedRequest extends NamedRequest {
  /** Path and query. */
  readonly target: string;
  /** Lower-case hex. */
  readonly bodySha256: string;
}

/** What came of a request, as far as it is kept. */
export interface Outcome {
  /** Status, headers and body, as JSON; null when it holds a secret: then only `resourceId` is kept. */
  readonly answer: string | null;
  readonly resourceId?: string | undefined;
  /** Whom the answer is about: it is erased with this person. */
  readonly about?: { readonly listId: string; readonly personId: string } | undefined;
}

/** The right to carry a request out, held by one node at a time. */
export interface Claim {
  /**
   * Remembers the outcome, in the transaction of the effect itself: both are there or neither is.
   * @param tx null where the request had no effect on the database that a repeat would double
   * @throws ServiceError 'request-in-flight' when the claim was lost to another node; the transaction must not commit
   */
  complete(tx: Transaction | null, outcome: Outcome): Promise<void>;
  /** Gives the key back after a request that had no effect; does nothing after {@link complete} has committed. */
  release(): Promise<void>;
  /** Wipes the keys; no other method works afterwards. */
  close(): void;
}

/** One effect for one key, over any number of nodes, repeats and crashes. */
export interface CarriedOutOnce {
  /**
   * @returns the answer of the request that had this key before, or a claim
   * @throws ServiceError 'idempotency-key-reused', 'request-in-flight', 'secret-already-issued' or 'answer-erased'
   */
  begin(request: KeyedRequest): Promise<{ readonly answer: string } | { readonly claim: Claim }>;
  /** Whether {@link begin} would find an answer, or why there is none, whatever else the request says. */
  isCarriedOut(request: NamedRequest): Promise<boolean>;
}
