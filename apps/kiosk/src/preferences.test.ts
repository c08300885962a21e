import { describe, expect, it } from 'vitest';
import { readPreferences, standardPreferences, writePreferences } from './preferences.ts';

function storageWith(text: string | null): Storage {
  let stored = text;
  return {
    getItem: () => stored,
    setItem: (_key: string, value: string) => {
      stored = value;
    },
  } as Partial<Storage> as Storage;
}

describe('preferences', () => {
  it('are read back as they were stored', () => {
    const storage = storageWith(null);
    const chosen = {
      ...standardPreferences,
      language: 'nl',
      theme: 'dark',
      sound: true,
      vibration: true,
      light: true,
      codeCamera: 'none',
    } as const;
    writePreferences(storage, chosen);
    expect(readPreferences(storage)).toEqual(chosen);
  });

  it.each(['nonsense', '{"language":"xx","theme":7,"sound":"yes","codeCamera":null}'])(
    'are the standard ones where “%s” is kept',
    (text) => {
      expect(readPreferences(storageWith(text))).toEqual(standardPreferences);
    },
  );
});
