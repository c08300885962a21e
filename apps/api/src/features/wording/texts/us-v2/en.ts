import type { WordingText } from '../index.ts';

export const usV2En: WordingText = {
  title: 'Face check-in: biometric notice and written release',
  introduction:
    '{organiser} offers face check-in at the entrance. It is optional. If you would rather not use it, use the standard entrance: you get in just the same, at no extra cost. Face check-in is never a condition of buying a ticket, of a membership, of employment or of anything else.',
  sections: [
    {
      heading: 'What is collected and stored',
      text: 'One photo of your face. It is used once to make a scan of your face geometry, called a face template: a set of numbers that can identify you. As soon as the template is made, the photo is destroyed; it is never stored. The face template is collected and stored, together with the identifier of your ticket, membership or badge. It is a biometric identifier or biometric information under laws such as the Illinois Biometric Information Privacy Act.',
    },
    {
      heading: 'The specific purpose',
      text: 'The only purpose is to verify, when you arrive, that you are the person to whom the ticket, membership card or badge you show belongs. Your face is compared with your own template and with nobody else’s. It is not used for advertising, for surveillance or for training software. If you are not recognized, a member of staff checks you in.',
    },
    {
      heading: 'How long it is kept, and how it is destroyed',
      text: 'Your face template is collected, stored and used until {deletionDate} at the latest. It is permanently destroyed on that date, earlier if its purpose has been fulfilled or you withdraw, and in no case later than three years after your last interaction with {organiser}. The copies on the check-in devices are destroyed by the same date, even where a device is offline. A record of this release is kept for longer as evidence: what you agreed to, when, and for which ticket, membership or badge. It holds no biometric data. The retention schedule and destruction guidelines are public: {privacyUrl}',
    },
    {
      heading: 'Who receives it',
      text: '{organiser} and the service provider that runs face check-in for {organiser}. Encrypted copies are held on the check-in devices at the entrance. It is not disclosed to anyone else unless the law, a valid warrant or a subpoena requires it. It is never sold, leased, traded or otherwise profited from.',
    },
    {
      heading: 'Your rights',
      text: 'Depending on where you live, you may have further rights, such as to see your data, to have it deleted, or to appeal or complain to your state’s attorney general. You are not treated worse for using them. How to reach {organiser}: {privacyUrl}',
    },
    {
      heading: 'If you are under 16',
      text: 'A parent or legal guardian has to read this and sign for you. Please let them check their box themselves.',
    },
  ],
  boxes: {
    explicitBiometricConsent:
      'I consent to {organiser} and its service provider collecting a scan of my face geometry and using it to recognize me at check-in, as described above.',
    writtenRelease:
      'Written release: I have read this notice. Checking this box is my electronic signature. I authorize {organiser} and its service provider to collect, store and use my biometric identifiers and biometric information for face check-in, and to place encrypted copies on the check-in devices, until {deletionDate} at the latest.',
    under16: 'I am under 16.',
    guardianConsent:
      'I am this person’s parent or legal guardian and legally authorized representative. I have read this notice, consent on their behalf and sign this written release for them.',
  },
  decline: 'No thanks, I will use the standard entrance',
  withdraw:
    'You can withdraw at any time, free of charge and without giving a reason: tell {organiser}, as described at {privacyUrl}. Your face template is then destroyed; a check-in device destroys its copy the next time it connects. You then use the standard entrance.',
};
