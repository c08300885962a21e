/** The engine whose templates this deployment makes now. Templates of different engines are never compared. */
export interface EngineIdentity {
  readonly engineId: string;
  readonly dimension: number;
  /** Cosine at and above which two templates are of one person. */
  readonly matchThreshold: number;
}
