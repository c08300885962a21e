/** A sentence that the figures bear out, or do not. */
export interface Claim {
  readonly claim: string;
  readonly holds: boolean;
  readonly measured: string;
}

/** A part of the report. */
export interface Section {
  readonly claims: readonly Claim[];
  /** Markdown below a heading of its own. */
  readonly markdown: string;
}
