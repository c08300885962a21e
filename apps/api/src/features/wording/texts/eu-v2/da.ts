import type { WordingText } from '../index.ts';

export const euV2Da: WordingText = {
  title: 'Check-in med ansigtsgenkendelse: du vælger selv',
  introduction:
    '{organiser} tilbyder check-in med ansigtsgenkendelse ved indgangen. Det er frivilligt at deltage. Vil du hellere lade være, bruger du den almindelige indgang: du kommer ind på lige fod med alle andre, uden ekstra omkostninger og uden nogen ulemper. Check-in med ansigtsgenkendelse er aldrig en betingelse for at købe en billet, for et medlemskab eller for noget andet.',
  sections: [
    {
      heading: 'Hvad der bruges',
      text: 'Ét foto af dit ansigt. Det omdannes til en ansigtsskabelon: et sæt tal, som du kan genkendes på. Det er biometriske data, som loven beskytter særligt. Så snart skabelonen er lavet, er fotoet væk; det bliver aldrig gemt. Sammen med skabelonen gemmes nummeret på din billet, dit medlemskab eller dit adgangskort.',
    },
    {
      heading: 'Hvad det bruges til',
      text: 'Kun til at kontrollere, når du kommer, at den billet, det medlemskort eller det adgangskort, du viser, tilhører dig. Dit ansigt sammenlignes med din egen skabelon og ikke med andres. Det bruges ikke til reklame, overvågning eller træning af software. Bliver du ikke genkendt, checker personalet dig ind. Retsgrundlaget er dit udtrykkelige samtykke: artikel 6, stk. 1, litra a, og artikel 9, stk. 2, litra a, i databeskyttelsesforordningen (GDPR).',
    },
    {
      heading: 'Hvem der er ansvarlig, og hvem der får oplysningerne',
      text: 'Den dataansvarlige er {organiser}. En teknisk leverandør driver check-in med ansigtsgenkendelse på den dataansvarliges vegne og kun efter dennes instruks. Krypterede kopier af skabelonen ligger på check-in-enhederne ved indgangen. Ingen andre får den, og den bliver aldrig solgt. Kontaktoplysninger og alt andet: {privacyUrl}',
    },
    {
      heading: 'Hvor længe den opbevares',
      text: 'Din ansigtsskabelon slettes senest den {deletionDate}, også på check-in-enhederne. Som bevis opbevares en registrering af dette samtykke i længere tid: hvad du har givet samtykke til, hvornår, og til hvilken billet, hvilket medlemskab eller hvilket adgangskort. Den indeholder ingen ansigtsdata.',
    },
    {
      heading: 'Dine rettigheder',
      text: 'Du kan bede om indsigt i dine oplysninger, om at få dem berigtiget eller slettet eller om begrænsning af behandlingen, og om en kopi i et format, som du kan bruge andre steder. Du kan også klage til en tilsynsmyndighed for databeskyttelse, især der, hvor du bor eller arbejder, eller hvor du mener, at loven er overtrådt. Sådan kontakter du {organiser}: {privacyUrl}',
    },
    {
      heading: 'Hvis du er under 16 år',
      text: 'Så skal en forælder eller værge også give samtykke. Læs dette sammen, og lad forælderen eller værgen selv sætte kryds i sit felt.',
    },
  ],
  boxes: {
    explicitBiometricConsent:
      'Jeg giver udtrykkeligt samtykke til, at {organiser} får lavet en ansigtsskabelon ud fra et foto af mit ansigt og bruger den til at genkende mig ved check-in.',
    writtenRelease:
      'Jeg bekræfter skriftligt, at jeg har læst oplysningerne ovenfor, at jeg deltager af egen fri vilje, og at min ansigtsskabelon må opbevares til senest den {deletionDate} og bruges på check-in-enhederne.',
    under16: 'Jeg er under 16 år.',
    guardianConsent:
      'Jeg har forældremyndigheden over eller er værge for denne person. Jeg har læst oplysningerne ovenfor og giver samtykke på personens vegne.',
  },
  decline: 'Nej tak, jeg bruger den almindelige indgang',
  withdraw:
    'Du kan til enhver tid trække dit samtykke tilbage, gratis og uden at give en grund: giv {organiser} besked som beskrevet på {privacyUrl}. Din ansigtsskabelon bliver så slettet; en check-in-enhed sletter sin kopi, næste gang den har forbindelse. Derefter bruger du den almindelige indgang. Det, der er sket, før du trak samtykket tilbage, er fortsat lovligt.',
};
