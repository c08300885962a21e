import { pageStorage } from '@svc/page-kit';
import { useMemo } from 'react';
import { useSession } from '../api/hooks.ts';

const parse = <Draft>(text: string | null): Draft | null => {
  try {
    return text === null ? null : (JSON.parse(text) as Draft);
  } catch {
    return null;
  }
};

/**
 * A hook: what the signed-in person has begun of a kind on this device, kept over reloads until it is done; in each
 * account they have another one.
 */
export function useDraftStorage<Draft>(kind: 'event' | 'list') {
  const { account, user } = useSession();
  const name = `svcd-draft-${kind}:${account.accountId}:${user.userId}`;
  return useMemo(
    () => ({
      load: () => parse<Draft>(pageStorage.getItem(name)),
      /** Where the browser keeps nothing, the draft lives as long as the page. */
      save: (draft: Draft) => pageStorage.setItem(name, JSON.stringify(draft)),
      clear: () => pageStorage.removeItem(name),
      /** Calls back when another tab changes it. @returns stops that */
      watch(onChange: (draft: Draft | null) => void) {
        const changed = (event: StorageEvent) => {
          if (event.key === name) onChange(parse<Draft>(event.newValue));
        };
        addEventListener('storage', changed);
        return () => removeEventListener('storage', changed);
      },
    }),
    [name],
  );
}
