import { readFileSync } from 'node:fs';
import { HOUR_MS, type NoticeKind, noticeKinds } from '@svc/protocol';
import { describe, expect, it } from 'vitest';
import { htmlOf } from '../../platform/mail.ts';
import { invitationMail, noticeMail, signInMail } from './mails.ts';
import { TABLE, wordsIn } from './texts.ts';

const dashboardTexts = new URL('../../../../dashboard/src/text/texts.tsv', import.meta.url);
const [[, ...languages] = [], ...rows] = TABLE.split('\n').map((line) => line.split('\t'));
const since = new Date('2026-06-04T16:30:00Z');
const url = 'https://svc.example/dashboard/invitation#svcl_1';
const accounts = [1, 2].map((n) => ({ accountName: `Hall ${n}`, url: `${url}${n}` }));

const notice = (kind: NoticeKind, subject: string, hours: number | null = 24) => ({
  ...{ kind, subject, cause: '', since, until: hours === null ? null : new Date(since.getTime() + hours * HOUR_MS) },
  ...(kind === 'webhook-failing'
    ? { eventId: null, listId: null, place: null, timeZone: null }
    : { eventId: 'evt_1', listId: 'lst_1', place: 'Concert', timeZone: 'Europe/Berlin' }),
});
const tell = (language: string | null, ...notices: ReturnType<typeof notice>[]) => {
  const now = new Date(since.getTime() + HOUR_MS);
  const person = { email: 'a@example.org', name: 'Mina', language };
  return noticeMail({ ...person, now, dashboardUrl: 'https://svc.example/dashboard/', notices });
};

it('are in each language of the dashboard', () => {
  expect(languages).toEqual(readFileSync(dashboardTexts, 'utf8').split('\n', 1).join().split('\t').slice(1));
  const used = ['pt-BR', 'DE-at', 'zh-Hant', null].map((tag) => wordsIn(tag).language);
  expect(used).toEqual(['pt', 'de', 'en', 'en']);
});

describe.each(languages)('in %s', (language) => {
  const at = languages.indexOf(language);
  const own = rows.map(([key = '', ...cells]) => ({ key, text: cells[at], english: cells[0] ?? '' }));
  const namesIn = (text = '') => [...text.matchAll(/\{(.*?)\}/g)].map(([, name]) => name).sort();

  it('each text is there, clean, with its values and plural forms', () => {
    const rules = new Intl.PluralRules(language);
    const forms = new Set(Array.from({ length: 199 }, (_, i) => `doors.${rules.select(i + 2)}`));
    for (const { key, text, english } of own) {
      expect([key, text !== '']).toEqual([key, !key.startsWith('doors.') || forms.has(key)]);
      if (!key.startsWith('doors.')) expect([key, namesIn(text)]).toEqual([key, namesIn(english)]);
      expect(text).not.toMatch(/^\s|\s$| [ :;?!]|["'\\]/);
      expect(text).toBe(text?.normalize('NFC'));
    }
  });

  it('each mail is whole', () => {
    const person = { email: 'a@example.org', language };
    const doors = [notice('door-offline', 'North'), notice('door-offline', 'South', 0), notice('lease-ending', 'West')];
    const mails = [
      invitationMail({ ...person, name: 'Mina', accountName: 'Hall', url }),
      ...[accounts, accounts.slice(1)].map((links) => signInMail({ ...person, links })),
      tell(language, ...doors, notice('enrolment-goal', '50', null), notice('webhook-failing', 'hooks.example', null)),
      ...noticeKinds.map((kind) => tell(language, notice(kind, 'North'))),
    ];
    for (const { subject, text } of mails) {
      expect(`${subject}\n${text}`).not.toMatch(/[{}]|undefined|^$\n^$/m);
      // Nothing but the address is in its line.
      for (const line of text.split('\n')) expect(line).toMatch(/^(https:\/\/\S+|(?!.*https:).*)$/);
    }
  });
});

it('a Polish one, with the plural of each number', () => {
  for (const [count, doors] of Object.entries({ 1: 'North', 2: '2 wejścia', 5: '5 wejść', 22: '22 wejścia' }))
    expect(tell('pl', ...Array(Number(count)).fill(notice('door-offline', 'North'))).subject).toMatch(`${doors}: `);
  const { text } = tell('pl', notice('door-offline', 'North'), notice('lease-ending', 'South'));
  expect(text).toMatchInlineSnapshot(`
    "Dzień dobry, Mina!

    Concert
    https://svc.example/dashboard/events/evt_1/doors
    - North wpuszcza gości offline do: piątek, 5 czerwca 18:30 CEST (ostatnia synchronizacja: czwartek, 4 czerwca 18:30 CEST)
    - South bez synchronizacji przestanie wpuszczać gości: piątek, 5 czerwca 18:30 CEST

    Synchronizacja jest spóźniona, jeśli nie było jej od 15 minut. Sprawdź, czy urządzenie jest włączone, ma otwartą stronę kiosku i połączenie. Do następnej synchronizacji nie wie, kto się rejestruje lub wycofuje zgodę. Jeśli nic nie działa, sprawdzaj bilety albo kieruj gości do innego wejścia.

    Zanim przyjdą goście, otwórz stronę kiosku na urządzeniu tam, gdzie ma połączenie.

    O każdej z tych spraw piszemy tylko raz. Na swoim koncie możesz wybrać, jakie e-maile dostajesz.
    https://svc.example/dashboard/me
    "
  `);
});

it('an Arabic one, in which names keep their direction', () => {
  const doors = ['North', '1017-A'].map((name) => notice('door-offline', name, 0));
  const mail = tell('ar-EG', ...doors);
  expect(mail.headers).toEqual({ 'Content-Language': 'ar' });
  expect(htmlOf(mail)).toContain('<div lang="ar" dir="rtl"');
  expect(`${mail.subject}\n\n${mail.text}`.replaceAll('\u2068', '⟨').replaceAll('\u2069', '⟩')).toMatchInlineSnapshot(`
    "⟨بابان⟩: تأخرت المزامنة (Concert)

    مرحبًا ⟨Mina⟩،

    Concert
    https://svc.example/dashboard/events/evt_1/doors
    - ⟨North⟩: لم يُدخل أحدًا منذ ⟨الخميس، 4 يونيو في 06:30 م غرينتش+2⟩ (آخر مزامنة: ⟨الخميس، 4 يونيو في 06:30 م غرينتش+2⟩)
    - ⟨1017-A⟩: لم يُدخل أحدًا منذ ⟨الخميس، 4 يونيو في 06:30 م غرينتش+2⟩ (آخر مزامنة: ⟨الخميس، 4 يونيو في 06:30 م غرينتش+2⟩)

    تُعدّ المزامنة متأخرة بعد ⟨15 دقيقة⟩. تأكد من أن الجهاز يعمل وصفحة تسجيل الوصول فيه مفتوحة ولديه اتصال. حتى المزامنة التالية لا يعرف من يسجّل أو يسحب موافقته. إن لم يعمل شيء، فافحص التذاكر بدلًا من ذلك، أو أرسل الضيوف إلى باب آخر.

    نراسلك مرة واحدة بشأن كل أمر. اختر في حسابك الرسائل التي تصلك.
    https://svc.example/dashboard/me
    "
  `);
});
