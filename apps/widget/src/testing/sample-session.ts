import type { WidgetSession } from '@svc/protocol';

/** What a service says to show: as long as the real ones, and no real one. */
const wordings: Readonly<Record<string, Omit<WidgetSession['wording'], 'consentVersion' | 'language'>>> = {
  en: {
    title: 'Face check-in: your choice',
    introduction:
      '{organiser} offers face check-in at the entrance. Taking part is voluntary. If you would rather not, use the standard entrance: you get in just the same, at no extra cost and without any disadvantage.',
    sections: [
      {
        heading: 'What is used',
        text: 'One photo of your face. It is turned into a face template: a set of numbers by which you can be recognised. As soon as the template is made, the photo is gone; it is never stored.',
      },
      {
        heading: 'What it is used for',
        text: 'Only to check, when you arrive, that you are the person to whom the ticket you show belongs. Your face is compared with your own template and with nobody else’s.',
      },
      {
        heading: 'Who is responsible, and who receives it',
        text: 'The controller is {organiser}. Encrypted copies of the template are held on the check-in devices at the entrance. Nobody else receives it, and it is never sold. Everything else: {privacyUrl}',
      },
      {
        heading: 'How long it is kept',
        text: 'Your face template is deleted on {deletionDate} at the latest, on the check-in devices too.',
      },
    ],
    boxes: {
      explicitBiometricConsent:
        'I explicitly consent to {organiser} having a face template made from a photo of my face and using it to recognise me at check-in.',
      writtenRelease:
        'I confirm in writing that I have read the information above, that I take part of my own free will, and that my face template may be kept until {deletionDate} at the latest.',
      under16: 'I am under 16.',
      guardianConsent:
        'I am a parent or guardian of this person. I have read the information above and consent on their behalf.',
    },
    decline: 'No thanks, I will use the standard entrance',
    withdraw:
      'You can withdraw your consent at any time, free of charge and without giving a reason: tell {organiser}, as described at {privacyUrl}.',
  },
  de: {
    title: 'Check-in per Gesichtserkennung: Sie entscheiden',
    introduction:
      '{organiser} bietet am Eingang einen Check-in per Gesichtserkennung an. Die Teilnahme ist freiwillig. Wenn Sie nicht teilnehmen möchten, nutzen Sie den normalen Eingang: Sie kommen genauso hinein, ohne Mehrkosten und ohne jeden Nachteil.',
    sections: [
      {
        heading: 'Was verwendet wird',
        text: 'Ein Foto Ihres Gesichts. Daraus wird ein Gesichtstemplate erstellt: eine Reihe von Zahlen, an denen Sie wiedererkannt werden können. Sobald das Template erstellt ist, ist das Foto weg; es wird niemals gespeichert.',
      },
      {
        heading: 'Wozu es verwendet wird',
        text: 'Ausschließlich, um bei Ihrer Ankunft zu prüfen, ob Sie die Person sind, zu der das vorgezeigte Ticket gehört. Ihr Gesicht wird mit Ihrem eigenen Template verglichen und mit keinem anderen.',
      },
      {
        heading: 'Wer verantwortlich ist und wer die Daten erhält',
        text: 'Verantwortlich ist {organiser}. Verschlüsselte Kopien des Templates liegen auf den Check-in-Geräten am Eingang. Niemand sonst erhält es, und es wird niemals verkauft. Alles Weitere: {privacyUrl}',
      },
      {
        heading: 'Wie lange es gespeichert wird',
        text: 'Ihr Gesichtstemplate wird spätestens am {deletionDate} gelöscht, auch auf den Check-in-Geräten.',
      },
    ],
    boxes: {
      explicitBiometricConsent:
        'Ich willige ausdrücklich ein, dass {organiser} aus einem Foto meines Gesichts ein Gesichtstemplate erstellen lässt und es verwendet, um mich beim Check-in wiederzuerkennen.',
      writtenRelease:
        'Ich bestätige in Textform, dass ich die Informationen oben gelesen habe, dass ich freiwillig teilnehme und dass mein Gesichtstemplate bis spätestens {deletionDate} gespeichert werden darf.',
      under16: 'Ich bin unter 16 Jahre alt.',
      guardianConsent:
        'Ich bin für diese Person sorgeberechtigt. Ich habe die Informationen oben gelesen und willige für sie ein.',
    },
    decline: 'Nein danke, ich nehme den normalen Eingang',
    withdraw:
      'Sie können Ihre Einwilligung jederzeit kostenlos und ohne Angabe von Gründen widerrufen: Wenden Sie sich an {organiser}, wie unter {privacyUrl} beschrieben.',
  },
};

/** A session in one of the sample's languages; in English where it has no other. */
export function sampleSession(wanted = 'en'): WidgetSession {
  const language = wordings[wanted] === undefined ? 'en' : wanted;
  const wording = wordings[language] as (typeof wordings)[string];
  return {
    organiserName: 'Riverside Hall',
    privacyNoticeUrl: 'https://riverside.example/face-check-in-privacy',
    eventName: 'An Evening of Chamber Music',
    consentVersion: 'eu-v2',
    language,
    languages: ['en', 'de', 'es', 'fr', 'it', 'nl', 'pl', 'sv'],
    wording: { consentVersion: 'eu-v2', language, ...wording },
    wordingSha256: '0'.repeat(64),
    photoSource: 'any',
    attemptsLeft: 5,
    expiresAt: '2026-06-19T17:30:00.000Z',
    deleteAfter: '2026-06-20T21:00:00.000Z',
  };
}
