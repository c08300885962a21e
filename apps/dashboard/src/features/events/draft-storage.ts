/** What somebody has begun on this device, kept over reloads until it is done. */
export interface DraftStorage<Draft> {
  load(): Draft | null;
  /** False where the browser keeps nothing: the draft then lives as long as the page. */
  save(draft: Draft): boolean;
  clear(): void;
  /** Calls back when another tab changes it. @returns stops that */
  watch(onChange: (draft: Draft | null) => void): () => void;
}

const parse = <Draft>(text: string | null): Draft | null => {
  try {
    return text === null ? null : (JSON.parse(text) as Draft);
  } catch {
    return null;
  }
};

/** A person's draft of a kind; an account and a person each have their own. */
export function draftStorage<Draft>(kind: 'event' | 'list', accountId: string, userId: string): DraftStorage<Draft> {
  const name = `svcd-draft-${kind}:${accountId}:${userId}`;
  return {
    load: () => parse<Draft>(localStorage.getItem(name)),
    save(draft) {
      try {
        localStorage.setItem(name, JSON.stringify(draft));
        return true;
      } catch {
        return false;
      }
    },
    clear: () => localStorage.removeItem(name),
    watch(onChange) {
      const changed = (event: StorageEvent) => {
        if (event.key === name) onChange(parse<Draft>(event.newValue));
      };
      addEventListener('storage', changed);
      return () => removeEventListener('storage', changed);
    },
  };
}
