import type { ConsentWording } from '@svc/protocol';

/** One wording without its name: what a file of texts/ holds. */
export type WordingText = Omit<ConsentWording, 'consentVersion' | 'language'>;
