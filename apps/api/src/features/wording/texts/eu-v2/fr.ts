import type { WordingText } from '../index.ts';

export const euV2Fr: WordingText = {
  title: 'Check-in par reconnaissance faciale : à vous de choisir',
  introduction:
    '{organiser} propose à l’entrée un check-in par reconnaissance faciale. La participation est facultative. Si vous préférez ne pas l’utiliser, passez par l’entrée classique : vous entrez tout aussi bien, sans frais supplémentaires et sans aucun désavantage. Le check-in par reconnaissance faciale n’est jamais une condition pour acheter un billet, pour adhérer ou pour quoi que ce soit d’autre.',
  sections: [
    {
      heading: 'Ce qui est utilisé',
      text: 'Une photo de votre visage. Elle est transformée en gabarit facial : une suite de nombres qui permet de vous reconnaître. Il s’agit de données biométriques, que la loi protège tout particulièrement. Dès que le gabarit est créé, la photo disparaît ; elle n’est jamais conservée. L’identifiant de votre billet, de votre adhésion ou de votre badge est conservé avec le gabarit.',
    },
    {
      heading: 'À quoi cela sert',
      text: 'Uniquement à vérifier, à votre arrivée, que vous êtes bien la personne à qui appartient le billet, la carte de membre ou le badge que vous présentez. Votre visage est comparé à votre propre gabarit et à aucun autre. Il n’est utilisé ni pour la publicité, ni pour la surveillance, ni pour entraîner des logiciels. Si la reconnaissance échoue, un membre du personnel vous enregistre. La base juridique est votre consentement explicite : article 6, paragraphe 1, point a), et article 9, paragraphe 2, point a), du règlement général sur la protection des données (RGPD).',
    },
    {
      heading: 'Qui est responsable et qui reçoit les données',
      text: 'Le responsable du traitement est {organiser}. Un prestataire technique exploite le check-in par reconnaissance faciale pour son compte et uniquement sur ses instructions. Des copies chiffrées du gabarit se trouvent sur les appareils de check-in à l’entrée. Personne d’autre ne le reçoit, et il n’est jamais vendu. Coordonnées et informations complètes : {privacyUrl}',
    },
    {
      heading: 'Durée de conservation',
      text: 'Votre gabarit facial est supprimé le {deletionDate} au plus tard, y compris sur les appareils de check-in. À titre de preuve, une trace de ce consentement est conservée plus longtemps : ce que vous avez accepté, quand, et pour quel billet, quelle adhésion ou quel badge. Elle ne contient aucune donnée faciale.',
    },
    {
      heading: 'Vos droits',
      text: 'Vous pouvez demander l’accès à vos données, leur rectification, leur effacement ou la limitation de leur traitement, ainsi qu’une copie dans un format que vous pouvez réutiliser ailleurs. Vous pouvez également introduire une réclamation auprès d’une autorité de protection des données, en particulier là où vous résidez ou travaillez, ou là où vous estimez que la loi n’a pas été respectée. Pour joindre {organiser} : {privacyUrl}',
    },
    {
      heading: 'Si vous avez moins de 16 ans',
      text: 'Un parent ou un tuteur doit également consentir. Lisez ceci ensemble et laissez cette personne cocher elle-même sa case.',
    },
  ],
  boxes: {
    explicitBiometricConsent:
      'Je consens explicitement à ce que {organiser} fasse créer un gabarit facial à partir d’une photo de mon visage et l’utilise pour me reconnaître lors du check-in.',
    writtenRelease:
      'Je confirme par écrit que j’ai lu les informations ci-dessus, que je participe de mon plein gré et que mon gabarit facial peut être conservé jusqu’au {deletionDate} au plus tard et utilisé sur les appareils de check-in.',
    under16: 'J’ai moins de 16 ans.',
    guardianConsent:
      'Je suis titulaire de l’autorité parentale ou tuteur légal à l’égard de cette personne. J’ai lu les informations ci-dessus et je consens en son nom.',
  },
  decline: 'Non merci, je passe par l’entrée classique',
  withdraw:
    'Vous pouvez retirer votre consentement à tout moment, gratuitement et sans donner de raison : adressez-vous à {organiser}, comme indiqué sur {privacyUrl}. Votre gabarit facial est alors supprimé ; un appareil de check-in supprime sa copie dès sa prochaine connexion. Vous passez ensuite par l’entrée classique. Ce qui a été fait avant le retrait reste licite.',
};
