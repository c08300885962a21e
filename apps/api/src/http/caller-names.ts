import type { Response } from 'express';

/** Who is behind a request, by identifiers of ours: what an investigation of a stolen key needs. Never a guest's. */
export interface CallerNames {
  readonly accountId: string;
  readonly keyId?: string;
  readonly deviceId?: string;
}

/** Notes whose request this is, for its line in the log. */
export function noteCaller(response: Response, names: CallerNames): void {
  response.locals.callerNames = names;
}

/** Nobody's where the credential was missing, wrong or not looked at. */
export function callerNamesOf(response: Response): Partial<CallerNames> {
  const names: unknown = response.locals.callerNames;
  return typeof names === 'object' && names !== null ? names : {};
}
