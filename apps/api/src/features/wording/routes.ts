import {
  type ConsentVersion,
  consentVersionSchema,
  type PublishedWordingResource,
  wordingQuerySchema,
} from '@svc/protocol';
import type { Request, Router } from 'express';
import type { Guard } from '../../http/guard.ts';
import { pathParameter, readQuery } from '../../http/query.ts';
import { mount } from '../../http/routing.ts';
import { ServiceError } from '../../platform/errors.ts';
import type { AccountCaller } from '../accounts/service.ts';
import { FALLBACK_LANGUAGE, type Wording, wordingFor, wordingLanguages } from './wording.ts';

const toResource = ({ consentVersion, language, draft, sha256, wording }: Wording): PublishedWordingResource => ({
  consentVersion,
  language,
  languages: wordingLanguages(consentVersion),
  draft,
  wordingSha256: sha256,
  wording,
});

function languageOf(request: Request, version: ConsentVersion): string {
  const { language } = readQuery(request, wordingQuerySchema);
  if (language !== undefined) return language;
  // Absent, everything is acceptable, and the first language of the version wins.
  return request.acceptsLanguages(wordingLanguages(version)) || FALLBACK_LANGUAGE;
}

export function mountWordings(router: Router, o: { readonly account: Guard<AccountCaller> }): void {
  mount(router, '/v1/consent-wordings/:consentVersion', {
    get: o.account.call(async ({ request, response }) => {
      const version = consentVersionSchema.safeParse(pathParameter(request, 'consentVersion'));
      if (!version.success) throw new ServiceError('not-found');
      const wording = wordingFor(version.data, languageOf(request, version.data));
      response.vary('Accept-Language').setHeader('Content-Language', wording.language);
      response.json(toResource(wording));
    }),
  });
}
