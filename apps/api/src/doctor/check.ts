/** What a look at one part of a deployment came to. A warning is nothing that keeps it from working today. */
export interface Finding {
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'failed';
  /** One line for an operator; no secret is in it. */
  readonly detail: string;
}

export type Verdict = Omit<Finding, 'check'>;

export const ok = (detail: string): Verdict => ({ status: 'ok', detail });
export const warning = (detail: string): Verdict => ({ status: 'warning', detail });
export const failed = (detail: string): Verdict => ({ status: 'failed', detail });

/** The message of an error for an operator, on one line. */
export function reasonOf(error: unknown): string {
  const message = error instanceof Error && error.message !== '' ? error.message : 'unknown reason';
  return message.replace(/\s+/g, ' ').slice(0, 300);
}

/** Looks at one part; that it could not even be looked at is a finding too. */
export async function examine(check: string, look: () => Promise<Verdict> | Verdict): Promise<Finding> {
  try {
    return { check, ...(await look()) };
  } catch (error) {
    return { check, ...failed(reasonOf(error)) };
  }
}
