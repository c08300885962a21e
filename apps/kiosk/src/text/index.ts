import { createTexts } from '@svc/page-kit';
import en from './en.json';

export type TextKey = keyof typeof en;

/** The page's texts. Each JSON file beside this one is a language and is fetched on demand; English is bundled. */
export const texts = createTexts<TextKey>(en, import.meta.glob(['./*.json', '!./en.json'], { import: 'default' }));

/**
 * A time of day in the words of a language; with the day of the week if it is not today.
 * @param language BCP 47
 * @param atMs milliseconds since 1970
 */
export function timeOf(language: string, atMs: number, nowMs: number = Date.now()): string {
  const isToday = new Date(atMs).toDateString() === new Date(nowMs).toDateString();
  const day = isToday ? {} : ({ weekday: 'long' } as const);
  return new Intl.DateTimeFormat(language, { ...day, hour: 'numeric', minute: '2-digit' }).format(atMs);
}
