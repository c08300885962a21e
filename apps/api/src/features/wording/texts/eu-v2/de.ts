import type { WordingText } from '../index.ts';

export const euV2De: WordingText = {
  title: 'Check-in per Gesichtserkennung: Sie entscheiden',
  introduction:
    '{organiser} bietet am Eingang einen Check-in per Gesichtserkennung an. Die Teilnahme ist freiwillig. Wenn Sie nicht teilnehmen möchten, nutzen Sie den normalen Eingang: Sie kommen genauso hinein, ohne Mehrkosten und ohne jeden Nachteil. Der Check-in per Gesichtserkennung ist niemals Bedingung für den Kauf eines Tickets, für eine Mitgliedschaft oder für irgendetwas anderes.',
  sections: [
    {
      heading: 'Was verwendet wird',
      text: 'Ein Foto Ihres Gesichts. Daraus wird ein Gesichtstemplate erstellt: eine Reihe von Zahlen, an denen Sie wiedererkannt werden können. Das sind biometrische Daten, die das Gesetz besonders schützt. Sobald das Template erstellt ist, ist das Foto weg; es wird niemals gespeichert. Zusammen mit dem Template wird die Kennung Ihres Tickets, Ihrer Mitgliedschaft oder Ihres Badges gespeichert.',
    },
    {
      heading: 'Wozu es verwendet wird',
      text: 'Ausschließlich, um bei Ihrer Ankunft zu prüfen, ob Sie die Person sind, zu der das vorgezeigte Ticket, die Mitgliedskarte oder der Badge gehört. Ihr Gesicht wird mit Ihrem eigenen Template verglichen und mit keinem anderen. Es wird nicht für Werbung, nicht zur Überwachung und nicht zum Trainieren von Software verwendet. Werden Sie nicht erkannt, checkt das Personal Sie ein. Rechtsgrundlage ist Ihre ausdrückliche Einwilligung: Artikel 6 Absatz 1 Buchstabe a und Artikel 9 Absatz 2 Buchstabe a der Datenschutz-Grundverordnung (DSGVO).',
    },
    {
      heading: 'Wer verantwortlich ist und wer die Daten erhält',
      text: 'Verantwortlich ist {organiser}. Ein technischer Dienstleister betreibt den Check-in per Gesichtserkennung im Auftrag und ausschließlich nach Weisung von {organiser}. Verschlüsselte Kopien des Templates liegen auf den Check-in-Geräten am Eingang. Niemand sonst erhält es, und es wird niemals verkauft. Kontaktdaten und alles Weitere: {privacyUrl}',
    },
    {
      heading: 'Wie lange es gespeichert wird',
      text: 'Ihr Gesichtstemplate wird spätestens am {deletionDate} gelöscht, auch auf den Check-in-Geräten. Als Nachweis wird eine Aufzeichnung dieser Einwilligung länger aufbewahrt: worin Sie eingewilligt haben, wann, und für welches Ticket, welche Mitgliedschaft oder welchen Badge. Sie enthält keine Gesichtsdaten.',
    },
    {
      heading: 'Ihre Rechte',
      text: 'Sie können Auskunft über Ihre Daten verlangen, ihre Berichtigung, ihre Löschung oder die Einschränkung ihrer Verarbeitung sowie eine Kopie in einem Format, das Sie anderswo weiterverwenden können. Außerdem können Sie sich bei einer Datenschutzaufsichtsbehörde beschweren, insbesondere an Ihrem Wohnort, an Ihrem Arbeitsort oder dort, wo Sie einen Rechtsverstoß vermuten. So erreichen Sie {organiser}: {privacyUrl}',
    },
    {
      heading: 'Wenn Sie unter 16 sind',
      text: 'Dann muss auch eine sorgeberechtigte Person einwilligen. Bitte lesen Sie dies gemeinsam und lassen Sie diese Person ihr Kästchen selbst ankreuzen.',
    },
  ],
  boxes: {
    explicitBiometricConsent:
      'Ich willige ausdrücklich ein, dass {organiser} aus einem Foto meines Gesichts ein Gesichtstemplate erstellen lässt und es verwendet, um mich beim Check-in wiederzuerkennen.',
    writtenRelease:
      'Ich bestätige in Textform, dass ich die Informationen oben gelesen habe, dass ich freiwillig teilnehme und dass mein Gesichtstemplate bis spätestens {deletionDate} gespeichert und auf den Check-in-Geräten verwendet werden darf.',
    under16: 'Ich bin unter 16 Jahre alt.',
    guardianConsent:
      'Ich bin für diese Person sorgeberechtigt. Ich habe die Informationen oben gelesen und willige für sie ein.',
  },
  decline: 'Nein danke, ich nehme den normalen Eingang',
  withdraw:
    'Sie können Ihre Einwilligung jederzeit kostenlos und ohne Angabe von Gründen widerrufen: Wenden Sie sich an {organiser}, wie unter {privacyUrl} beschrieben. Ihr Gesichtstemplate wird dann gelöscht; ein Check-in-Gerät löscht seine Kopie, sobald es das nächste Mal Verbindung hat. Danach nutzen Sie den normalen Eingang. Was vor dem Widerruf geschehen ist, bleibt rechtmäßig.',
};
