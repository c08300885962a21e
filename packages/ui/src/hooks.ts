import { directionOfLanguage, type Machine, type SpokenTexts, type Texts } from '@svc/page-kit';
import { createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';

/** What every screen of a page can use. @returns its provider, and its hook, which throws outside of it */
export function createScreenContext<T>() {
  const Context = createContext<T | null>(null);
  const useIt = (): T => {
    const context = useContext(Context);
    if (context === null) throw new Error('a screen outside of its page');
    return context;
  };
  return [Context.Provider, useIt] as const;
}

export function useMachine<State>(machine: Pick<Machine<State, never, never>, 'state' | 'subscribe'>): State {
  const [state, setState] = useState(() => machine.state);
  useEffect(() => {
    const show = (next: State) => setState(() => next);
    show(machine.state);
    return machine.subscribe(show);
  }, [machine]);
  return state;
}

/**
 * A hook: the texts in a language, fetched on demand; English if that fails.
 * @returns the texts of the language before, until the new ones (`asked`) are loaded; null at first
 */
export function useTexts<Key extends string>(
  texts: Texts<Key>,
  language: string,
): (SpokenTexts<Key> & { readonly asked: string }) | null {
  const [shown, setShown] = useState(() => {
    const loaded = texts.loaded(language);
    return loaded === null ? null : { ...loaded, asked: language };
  });
  useEffect(() => {
    let isWanted = true;
    const show = (found: SpokenTexts<Key>) => {
      if (isWanted) setShown({ ...found, asked: language });
    };
    texts.load(language).then(show, () => show(texts.english));
    return () => {
      isWanted = false;
    };
  }, [texts, language]);
  return shown;
}

/** A hook: the document has this language (BCP 47), its direction, and this title. */
export function useDocument(lang: string, title: string): void {
  useEffect(() => {
    Object.assign(document.documentElement, { lang, dir: directionOfLanguage(lang) });
    document.title = title;
  }, [lang, title]);
}
