import type { PublishedWordingResource } from '@svc/protocol';
import type { Handlers } from '../handlers.ts';
import { FALLBACK_LANGUAGE, type Wording, wordingFor, wordingLanguages } from './wording.ts';

const toResource = ({ consentVersion, language, draft, sha256, wording }: Wording): PublishedWordingResource => ({
  consentVersion,
  language,
  languages: wordingLanguages(consentVersion),
  draft,
  wordingSha256: sha256,
  wording,
});

export const wordingHandlers = {
  getConsentWording({ params: { consentVersion }, query: { language }, request, response }) {
    const languages = wordingLanguages(consentVersion);
    // Without `Accept-Language` everything is acceptable, and the version's first language is used.
    const wording = wordingFor(consentVersion, language ?? (request.acceptsLanguages(languages) || FALLBACK_LANGUAGE));
    response.vary('Accept-Language').setHeader('Content-Language', wording.language);
    return toResource(wording);
  },
} satisfies Partial<Handlers>;
