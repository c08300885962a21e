import { fillWording } from '@svc/protocol';
import { useSession } from './context.ts';

/** The guest's own variety of a language, whose dates he reads every day. */
export function localeOf(language: string): string {
  return navigator.languages.find((tag) => tag.toLowerCase().startsWith(`${language.toLowerCase()}-`)) ?? language;
}

/** The day, written out. */
export function dayOf(timestamp: string, language: string): string {
  return new Intl.DateTimeFormat(localeOf(language), { dateStyle: 'long' }).format(new Date(timestamp));
}

/** A text of the wording with its placeholders filled in; the privacy notice is a link. Values are text and never markup. */
export function WordingText({ text }: { readonly text: string }) {
  const { organiserName: organiser, privacyNoticeUrl: privacyUrl, deleteAfter, language } = useSession();
  const deletionDate = dayOf(deleteAfter, language);
  const pieces = text.split('{privacyUrl}').map((piece) => fillWording(piece, { organiser, privacyUrl, deletionDate }));
  return (
    <>
      {pieces.flatMap((piece, i) =>
        i === 0
          ? [piece]
          : [
              <a key={i} href={privacyUrl} target="_blank" rel="noopener noreferrer">
                {privacyUrl}
              </a>,
              piece,
            ],
      )}
    </>
  );
}
