import type { WordingText } from '../index.ts';

export const euV2Nl: WordingText = {
  title: 'Inchecken met gezichtsherkenning: u kiest',
  introduction:
    '{organiser} biedt bij de ingang inchecken met gezichtsherkenning aan. Meedoen is vrijwillig. Doet u liever niet mee, gebruik dan de gewone ingang: u komt net zo goed binnen, zonder extra kosten en zonder enig nadeel. Inchecken met gezichtsherkenning is nooit een voorwaarde voor het kopen van een ticket, voor een lidmaatschap of voor iets anders.',
  sections: [
    {
      heading: 'Wat er wordt gebruikt',
      text: 'Eén foto van uw gezicht. Daarvan wordt een gezichtstemplate gemaakt: een reeks getallen waaraan u te herkennen bent. Dit zijn biometrische gegevens, die de wet extra beschermt. Zodra het template is gemaakt, is de foto weg; die wordt nooit bewaard. De code van uw ticket, lidmaatschap of badge wordt bij het template bewaard.',
    },
    {
      heading: 'Waarvoor het wordt gebruikt',
      text: 'Alleen om bij uw aankomst te controleren of u de persoon bent bij wie het ticket, de lidmaatschapskaart of de badge hoort die u laat zien. Uw gezicht wordt vergeleken met uw eigen template en met dat van niemand anders. Het wordt niet gebruikt voor reclame, voor toezicht of om software te trainen. Wordt u niet herkend, dan checkt een medewerker u in. De rechtsgrond is uw uitdrukkelijke toestemming: artikel 6, lid 1, onder a, en artikel 9, lid 2, onder a, van de Algemene verordening gegevensbescherming (AVG).',
    },
    {
      heading: 'Wie verantwoordelijk is en wie de gegevens ontvangt',
      text: 'De verwerkingsverantwoordelijke is {organiser}. Een technische dienstverlener verzorgt het inchecken met gezichtsherkenning in opdracht van {organiser} en uitsluitend volgens diens instructies. Versleutelde kopieën van het template staan op de incheckapparaten bij de ingang. Niemand anders ontvangt het, en het wordt nooit verkocht. Contactgegevens en alle verdere informatie: {privacyUrl}',
    },
    {
      heading: 'Hoelang het wordt bewaard',
      text: 'Uw gezichtstemplate wordt uiterlijk op {deletionDate} gewist, ook op de incheckapparaten. Als bewijs wordt een vastlegging van deze toestemming langer bewaard: waarmee u hebt ingestemd, wanneer, en voor welk ticket, welk lidmaatschap of welke badge. Daar staan geen gezichtsgegevens in.',
    },
    {
      heading: 'Uw rechten',
      text: 'U kunt vragen om inzage in uw gegevens, om rectificatie, om wissing of om beperking van de verwerking, en om een kopie in een formaat dat u elders kunt gebruiken. U kunt ook een klacht indienen bij een toezichthouder voor gegevensbescherming, met name waar u woont of werkt of waar volgens u de wet is overtreden. Zo bereikt u {organiser}: {privacyUrl}',
    },
    {
      heading: 'Als u jonger bent dan 16',
      text: 'Dan moet ook een ouder of voogd toestemming geven. Lees dit samen en laat die persoon het eigen vakje zelf aanvinken.',
    },
  ],
  boxes: {
    explicitBiometricConsent:
      'Ik geef er uitdrukkelijk toestemming voor dat {organiser} van een foto van mijn gezicht een gezichtstemplate laat maken en dat gebruikt om mij bij het inchecken te herkennen.',
    writtenRelease:
      'Ik bevestig schriftelijk dat ik de informatie hierboven heb gelezen, dat ik vrijwillig meedoe en dat mijn gezichtstemplate tot uiterlijk {deletionDate} mag worden bewaard en op de incheckapparaten mag worden gebruikt.',
    under16: 'Ik ben jonger dan 16 jaar.',
    guardianConsent:
      'Ik heb het ouderlijk gezag of de voogdij over deze persoon. Ik heb de informatie hierboven gelezen en geef namens deze persoon toestemming.',
  },
  decline: 'Nee, bedankt: ik gebruik de gewone ingang',
  withdraw:
    'U kunt uw toestemming op elk moment intrekken, gratis en zonder opgave van reden: laat het {organiser} weten, zoals beschreven op {privacyUrl}. Uw gezichtstemplate wordt dan gewist; een incheckapparaat wist zijn kopie zodra het weer verbinding heeft. Daarna gebruikt u de gewone ingang. Wat vóór de intrekking is gedaan, blijft rechtmatig.',
};
