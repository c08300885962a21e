import { createTexts } from '@svc/page-kit';
import en from './generated/en.json';

export type TextKey = keyof typeof en;

/** The page's texts: `texts.tsv`. English is bundled, another language is fetched on demand. */
export const texts = createTexts<TextKey>(
  en,
  import.meta.glob(['./*.json', '!./en.json'], { base: './generated', import: 'default' }),
);

/** Within it no day of the week comes twice. */
const NEAR_MS = 6 * 86_400_000;

/**
 * A time of day in the words of a language, in this device's time zone; with the day if it is not today: of the week,
 * and with its date where that is not clear.
 * @param language BCP 47
 * @param atMs milliseconds since 1970
 */
export function timeOf(language: string, atMs: number, nowMs: number = Date.now()): string {
  const isToday = new Date(atMs).toDateString() === new Date(nowMs).toDateString();
  const isNear = Math.abs(atMs - nowMs) < NEAR_MS;
  const date = isNear ? {} : ({ day: 'numeric', month: 'long' } as const);
  const day = isToday ? {} : ({ weekday: 'long', ...date } as const);
  return new Intl.DateTimeFormat(language, { ...day, hour: 'numeric', minute: '2-digit' }).format(atMs);
}
