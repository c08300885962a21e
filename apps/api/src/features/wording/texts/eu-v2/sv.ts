import type { WordingText } from '../index.ts';

export const euV2Sv: WordingText = {
  title: 'Incheckning med ansiktsigenkänning: du väljer',
  introduction:
    '{organiser} erbjuder incheckning med ansiktsigenkänning vid ingången. Det är frivilligt att delta. Om du hellre låter bli använder du den vanliga ingången: du kommer in precis lika bra, utan extra kostnad och utan några nackdelar. Incheckning med ansiktsigenkänning är aldrig ett villkor för att köpa en biljett, för ett medlemskap eller för något annat.',
  sections: [
    {
      heading: 'Vad som används',
      text: 'Ett foto av ditt ansikte. Det omvandlas till en ansiktsmall: en uppsättning tal som gör att du kan kännas igen. Det är biometriska uppgifter, som lagen skyddar särskilt. Så snart mallen är skapad är fotot borta; det sparas aldrig. Tillsammans med mallen sparas numret på din biljett, ditt medlemskap eller ditt passerkort.',
    },
    {
      heading: 'Vad det används till',
      text: 'Endast till att kontrollera, när du kommer, att du är den person som biljetten, medlemskortet eller passerkortet du visar tillhör. Ditt ansikte jämförs med din egen mall och inte med någon annans. Det används inte för reklam, för övervakning eller för att träna programvara. Om du inte känns igen checkas du in av personalen. Den rättsliga grunden är ditt uttryckliga samtycke: artikel 6.1 a och artikel 9.2 a i dataskyddsförordningen (GDPR).',
    },
    {
      heading: 'Vem som är ansvarig och vem som får uppgifterna',
      text: 'Personuppgiftsansvarig är {organiser}. En teknisk leverantör sköter incheckningen med ansiktsigenkänning för den personuppgiftsansvariges räkning och endast enligt dennes instruktioner. Krypterade kopior av mallen finns på incheckningsenheterna vid ingången. Ingen annan får den, och den säljs aldrig. Kontaktuppgifter och all övrig information: {privacyUrl}',
    },
    {
      heading: 'Hur länge den sparas',
      text: 'Din ansiktsmall raderas senast {deletionDate}, även på incheckningsenheterna. Som bevis sparas en uppgift om detta samtycke längre: vad du har samtyckt till, när, och för vilken biljett, vilket medlemskap eller vilket passerkort. Den innehåller inga ansiktsuppgifter.',
    },
    {
      heading: 'Dina rättigheter',
      text: 'Du kan begära tillgång till dina uppgifter, rättelse, radering eller begränsning av behandlingen, och en kopia i ett format som du kan använda någon annanstans. Du kan också lämna in klagomål till en dataskyddsmyndighet, särskilt där du bor eller arbetar eller där du anser att lagen har överträtts. Så når du {organiser}: {privacyUrl}',
    },
    {
      heading: 'Om du är under 16 år',
      text: 'Då måste även en vårdnadshavare samtycka. Läs detta tillsammans och låt vårdnadshavaren själv kryssa i sin ruta.',
    },
  ],
  boxes: {
    explicitBiometricConsent:
      'Jag samtycker uttryckligen till att {organiser} låter skapa en ansiktsmall av ett foto av mitt ansikte och använder den för att känna igen mig vid incheckningen.',
    writtenRelease:
      'Jag bekräftar skriftligen att jag har läst informationen ovan, att jag deltar av egen fri vilja och att min ansiktsmall får sparas till senast {deletionDate} och användas på incheckningsenheterna.',
    under16: 'Jag är under 16 år.',
    guardianConsent:
      'Jag är vårdnadshavare för den här personen. Jag har läst informationen ovan och samtycker för personens räkning.',
  },
  decline: 'Nej tack, jag använder den vanliga ingången',
  withdraw:
    'Du kan när som helst återkalla ditt samtycke, utan kostnad och utan att ange något skäl: meddela {organiser} på det sätt som beskrivs på {privacyUrl}. Din ansiktsmall raderas då; en incheckningsenhet raderar sin kopia nästa gång den är uppkopplad. Därefter använder du den vanliga ingången. Det som gjordes före återkallelsen är fortfarande lagligt.',
};
