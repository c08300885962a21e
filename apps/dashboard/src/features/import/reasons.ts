import { useCallback } from 'react';
import { ApiError, type ApiErrorCode } from '../../api/errors.ts';
import { type Message, useMessageOf } from '../../api/messages.ts';
import { useSay } from '../../app/language.tsx';

/** Reasons with words of their own: of photos, of this page, and of lists. */
export const spokenReasons = [
  'image-invalid',
  'no-face',
  'several-faces',
  'face-too-small',
  'too-dark',
  'too-bright',
  'blurred',
  'turned-away',
  'covered',
  'photo-not-live',
  'photo-gone',
  'photo-unreadable',
  'storage',
  'list-ended',
  'enrolment-closed',
  'consent-version-mismatch',
  'camera-required',
  'model-missing',
] as const;
type SpokenReason = (typeof spokenReasons)[number];

/** A hook: why somebody was refused, or the import does not go on, and what to do. */
export function useReasonOf(): (code: string) => Message {
  const say = useSay();
  const messageOf = useMessageOf();
  return useCallback(
    (code) => {
      const spoken = spokenReasons.find((each): each is SpokenReason => each === code);
      if (spoken === undefined) return messageOf(new ApiError(code as ApiErrorCode, { status: 0 }));
      return { title: say(`import.reason.${spoken}`), help: say(`import.reason.${spoken}.help`) };
    },
    [say, messageOf],
  );
}
