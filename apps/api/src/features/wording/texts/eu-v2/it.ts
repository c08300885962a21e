import type { WordingText } from '../index.ts';

export const euV2It: WordingText = {
  title: 'Check-in con riconoscimento facciale: a lei la scelta',
  introduction:
    '{organiser} offre all’ingresso un check-in con riconoscimento facciale. La partecipazione è volontaria. Se preferisce non utilizzarlo, usi l’ingresso ordinario: entrerà ugualmente, senza costi aggiuntivi e senza alcuno svantaggio. Il check-in con riconoscimento facciale non è mai una condizione per acquistare un biglietto, per iscriversi o per qualsiasi altra cosa.',
  sections: [
    {
      heading: 'Che cosa si utilizza',
      text: 'Una foto del suo volto. La foto viene trasformata in un modello del volto: una serie di numeri che permette di riconoscerla. Si tratta di dati biometrici, che la legge tutela in modo particolare. Non appena il modello è stato creato, la foto scompare; non viene mai conservata. Insieme al modello viene conservato l’identificativo del suo biglietto, della sua tessera o del suo badge.',
    },
    {
      heading: 'A che cosa serve',
      text: 'Soltanto a verificare, al suo arrivo, che lei sia la persona a cui appartiene il biglietto, la tessera o il badge che presenta. Il suo volto viene confrontato con il suo modello e con nessun altro. Non viene utilizzato per la pubblicità, per la sorveglianza o per addestrare software. Se il riconoscimento non riesce, sarà il personale a registrare il suo arrivo. La base giuridica è il suo consenso esplicito: articolo 6, paragrafo 1, lettera a), e articolo 9, paragrafo 2, lettera a), del Regolamento generale sulla protezione dei dati (GDPR).',
    },
    {
      heading: 'Chi è responsabile e chi riceve i dati',
      text: 'Il titolare del trattamento è {organiser}. Un fornitore tecnico gestisce il check-in con riconoscimento facciale per conto di {organiser} e soltanto secondo le sue istruzioni. Copie cifrate del modello si trovano sui dispositivi di check-in all’ingresso. Nessun altro lo riceve, e non viene mai venduto. Contatti e ogni altra informazione: {privacyUrl}',
    },
    {
      heading: 'Per quanto tempo viene conservato',
      text: 'Il suo modello del volto viene cancellato il {deletionDate} al più tardi, anche sui dispositivi di check-in. Come prova, una registrazione di questo consenso viene conservata più a lungo: a che cosa ha acconsentito, quando, e per quale biglietto, tessera o badge. Non contiene alcun dato del volto.',
    },
    {
      heading: 'I suoi diritti',
      text: 'Può chiedere l’accesso ai suoi dati, la loro rettifica, la loro cancellazione o la limitazione del loro trattamento, nonché una copia in un formato che può riutilizzare altrove. Può inoltre presentare reclamo a un’autorità di protezione dei dati, in particolare dove risiede o lavora oppure dove ritiene che la legge sia stata violata. Per contattare {organiser}: {privacyUrl}',
    },
    {
      heading: 'Se ha meno di 16 anni',
      text: 'Deve acconsentire anche un genitore o un tutore. Leggete insieme queste informazioni e lasci che sia quella persona a spuntare la propria casella.',
    },
  ],
  boxes: {
    explicitBiometricConsent:
      'Acconsento esplicitamente a che {organiser} faccia creare un modello del volto da una foto del mio viso e lo utilizzi per riconoscermi al check-in.',
    writtenRelease:
      'Confermo per iscritto di aver letto le informazioni riportate sopra e di partecipare di mia spontanea volontà, e acconsento a che il mio modello del volto sia conservato fino al {deletionDate} al più tardi e utilizzato sui dispositivi di check-in.',
    under16: 'Ho meno di 16 anni.',
    guardianConsent:
      'Esercito la responsabilità genitoriale o la tutela su questa persona. Ho letto le informazioni riportate sopra e acconsento per suo conto.',
  },
  decline: 'No, grazie: userò l’ingresso ordinario',
  withdraw:
    'Può revocare il consenso in qualsiasi momento, gratuitamente e senza fornire motivazioni: si rivolga a {organiser} come indicato su {privacyUrl}. Il suo modello del volto viene quindi cancellato; un dispositivo di check-in cancella la propria copia alla connessione successiva. Da quel momento userà l’ingresso ordinario. Quanto avvenuto prima della revoca resta lecito.',
};
