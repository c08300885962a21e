import type { ErrorCode, Problem } from '@svc/protocol';
import { say } from '../text/index.ts';

/** Codes of the client itself: no answer arrived, or one that is not the service's. */
export type ClientErrorCode = 'no-connection' | 'unrecognised-answer';
export type ApiErrorCode = ErrorCode | ClientErrorCode;

/** A call that failed, by its stable code; `messageOf` has the words. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    readonly code: ApiErrorCode,
    readonly o: {
      /** 0 without an answer. */
      readonly status: number;
      readonly problem?: Partial<Problem> | undefined;
      readonly retryAfterMs?: number | null;
      readonly cause?: unknown;
    },
  ) {
    super(code, { cause: o.cause });
  }

  /** Quote it to the operator; null where the service did not answer. */
  get requestId(): string | null {
    return this.o.problem?.requestId ?? null;
  }

  /** Whether the same call may succeed later without a change. */
  get isTemporary(): boolean {
    const { status } = this.o;
    return status === 0 || status === 408 || status === 429 || status >= 500;
  }

  /** Whether the service refused this field of the body, by its JSON pointer. */
  refuses(pointer: string): boolean {
    return this.o.problem?.errors?.some((error) => error.pointer === pointer) ?? false;
  }
}

/** What an import says of a photo that the service refused, below `import.reason` in the texts. */
export const importReason = (code: string, reason: Problem['reason']): string =>
  reason === undefined || reason === 'damaged' ? code : `${code}-${reason}`;

export const hasCode = (error: unknown, code: string): error is ApiError =>
  error instanceof ApiError && error.code === code;

function readRetryAfter(text: string | null, nowMs: number): number | null {
  if (text === null) return null;
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs);
}

export async function toApiError(response: Response): Promise<ApiError> {
  const isProblem = response.headers.get('content-type')?.startsWith('application/problem+json') === true;
  const problem = isProblem ? ((await response.json().catch(() => undefined)) as Problem | undefined) : undefined;
  const retryAfterMs = readRetryAfter(response.headers.get('retry-after'), Date.now());
  return new ApiError(problem?.code ?? 'unrecognised-answer', { status: response.status, problem, retryAfterMs });
}

export interface Message {
  readonly title: string;
  readonly help: string;
}

/** Errors that browsers throw when they are asked for a passkey, by their names in WebAuthn. */
const browserErrors: Readonly<Record<string, 'cancelled' | 'passkey-exists'>> = {
  NotAllowedError: 'cancelled',
  AbortError: 'cancelled',
  InvalidStateError: 'passkey-exists',
};

/** Says an error in the page's language: `errors.<code>`, and what to do. Codes without words of their own are named. */
export function messageOf(error: unknown): Message {
  const code = error instanceof ApiError ? error.code : error instanceof Error ? browserErrors[error.name] : undefined;
  const [title, help] = [`errors.${code}`, `errors.${code}.help`];
  if (say.has(title) && say.has(help)) return { title: say(title), help: say(help) };
  return {
    title: say('errors.other'),
    help: say('errors.other.help', { code: code ?? (error instanceof Error ? error.name : 'unknown') }),
  };
}
