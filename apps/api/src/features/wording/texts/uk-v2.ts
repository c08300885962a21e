import { wordingTexts } from './wording-texts.ts';

/** The published texts of uk-v2 by language, English first; a published text is never edited (docs/consent.md). */
export const ukV2 = wordingTexts({
  en: {
    title: 'Face check-in: your choice',
    introduction:
      '{organiser} offers face check-in at the entrance. Taking part is voluntary. If you would rather not, use the standard entrance: you get in just the same, at no extra cost and without any disadvantage. Face check-in is never a condition of buying a ticket, of a membership or of anything else.',
    sections: {
      'What is used':
        'One photo of your face. It is turned into a face template: a set of numbers by which you can be recognised. This is biometric data, which the law specially protects. As soon as the template is made, the photo is gone; it is never stored. The identifier of your ticket, membership or badge is kept with the template.',
      'What it is used for':
        'Only to check, when you arrive, that you are the person to whom the ticket, membership card or badge you show belongs. Your face is compared with your own template and with nobody else’s. It is not used for advertising, for surveillance or for training software. If you are not recognised, a member of staff checks you in. The legal basis is your explicit consent: in the UK, Article 6(1)(a) and Article 9(2)(a) of the UK GDPR; elsewhere, the corresponding law where you are.',
      'Who is responsible, and who receives it':
        'The controller is {organiser}. A technical service provider runs face check-in on its behalf and only on its instructions. Encrypted copies of the template are held on the check-in devices at the entrance. Nobody else receives it, and it is never sold. Contact details and everything else: {privacyUrl}',
      'How long it is kept':
        'Your face template is deleted on {deletionDate} at the latest, on the check-in devices too. As evidence, a record of this consent is kept for longer: what you agreed to, when, and for which ticket, membership or badge. It holds no face data.',
      'Your rights':
        'You can ask for access to your data, for its correction, its erasure or the restriction of its processing, and for a copy in a format that you can take elsewhere. How to reach {organiser}: {privacyUrl} You can also complain: in the UK to the Information Commissioner’s Office (ico.org.uk), elsewhere to the data protection authority of your country.',
      'If you are under 16':
        'A parent or guardian has to agree as well. Please read this together and let them tick their box themselves.',
    },
    boxes: {
      explicitBiometricConsent:
        'I explicitly consent to {organiser} having a face template made from a photo of my face and using it to recognise me at check-in.',
      writtenRelease:
        'I confirm in writing that I have read the information above, that I take part of my own free will, and that my face template may be kept until {deletionDate} at the latest and used on the check-in devices.',
      under16: 'I am under 16.',
      guardianConsent:
        'I am a parent or guardian with parental responsibility for this person. I have read the information above and consent on their behalf.',
    },
    decline: 'No thanks, I will use the standard entrance',
    withdraw:
      'You can withdraw your consent at any time, free of charge and without giving a reason: tell {organiser}, as described at {privacyUrl}. Your face template is then deleted; a check-in device deletes its copy the next time it connects. You then use the standard entrance. What was done before you withdrew remains lawful.',
  },
});
