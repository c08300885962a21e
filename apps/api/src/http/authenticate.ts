import type { Request } from 'express';
import type { AccountCaller, AccountService } from '../features/accounts/service.ts';
import { apiKeyOf } from './credentials.ts';

/** Who calls, by the request's API key. @throws ServiceError one of the 401s */
export type AuthenticateAccount = (request: Request) => Promise<AccountCaller>;

export function createAuthenticateAccount(accounts: Pick<AccountService, 'authenticate'>): AuthenticateAccount {
  return async (request) => accounts.authenticate(apiKeyOf(request));
}
