import { texts } from './text/index.ts';

/** Settings of this kiosk; nothing secret or personal. */
export interface Preferences {
  /** Null: the browser's preference. */
  readonly language: string | null;
  readonly theme: 'system' | 'light' | 'dark';
  readonly sound: boolean;
  readonly vibration: boolean;
  /** Whether the screen lights the face during the check. */
  readonly light: boolean;
  /** `automatic`, `none` for a kiosk with a code reader, or a `deviceId`. */
  readonly codeCamera: string;
  /** `automatic`, or a `deviceId`. */
  readonly faceCamera: string;
}

const KEY = 'svc-kiosk-preferences';
export const standardPreferences: Preferences = {
  language: null,
  theme: 'system',
  sound: false,
  vibration: false,
  light: false,
  codeCamera: 'automatic',
  faceCamera: 'automatic',
};

/** Unreadable settings count as missing. */
export function readPreferences(storage: Pick<Storage, 'getItem'>): Preferences {
  try {
    const stored = JSON.parse(storage.getItem(KEY) ?? '{}') as Partial<Record<keyof Preferences, unknown>>;
    const { language, theme, sound, vibration, light, codeCamera, faceCamera } = stored;
    return {
      language: texts.languages.find((known) => known === language) ?? null,
      theme: theme === 'light' || theme === 'dark' ? theme : 'system',
      sound: sound === true,
      vibration: vibration === true,
      light: light === true,
      codeCamera: typeof codeCamera === 'string' ? codeCamera : 'automatic',
      faceCamera: typeof faceCamera === 'string' ? faceCamera : 'automatic',
    };
  } catch {
    return standardPreferences;
  }
}

/** Where nothing is kept the settings apply until the page is closed. */
export function writePreferences(storage: Pick<Storage, 'setItem'>, preferences: Preferences): void {
  storage.setItem(KEY, JSON.stringify(preferences));
}

export function languageOf(preferences: Preferences, wanted: readonly string[]): string {
  return preferences.language ?? texts.languageFor(wanted);
}
