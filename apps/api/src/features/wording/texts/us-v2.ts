import { wordingTexts } from './wording-texts.ts';

/** The published texts of us-v2 by language, English first; a published text is never edited (docs/consent.md). */
export const usV2 = wordingTexts({
  en: {
    title: 'Face check-in: biometric notice and written release',
    introduction:
      '{organiser} offers face check-in at the entrance. It is optional. If you would rather not use it, use the standard entrance: you get in just the same, at no extra cost. Face check-in is never a condition of buying a ticket, of a membership, of employment or of anything else.',
    sections: {
      'What is collected and stored':
        'One photo of your face. It is used once to make a scan of your face geometry, called a face template: a set of numbers that can identify you. As soon as the template is made, the photo is destroyed; it is never stored. The face template is collected and stored, together with the identifier of your ticket, membership or badge. It is a biometric identifier or biometric information under laws such as the Illinois Biometric Information Privacy Act.',
      'The specific purpose':
        'The only purpose is to verify, when you arrive, that you are the person to whom the ticket, membership card or badge you show belongs. Your face is compared with your own template and with nobody else’s. It is not used for advertising, for surveillance or for training software. If you are not recognized, a member of staff checks you in.',
      'How long it is kept, and how it is destroyed':
        'Your face template is collected, stored and used until {deletionDate} at the latest. It is permanently destroyed on that date, earlier if its purpose has been fulfilled or you withdraw, and in no case later than three years after your last interaction with {organiser}. The copies on the check-in devices are destroyed by the same date, even where a device is offline. A record of this release is kept for longer as evidence: what you agreed to, when, and for which ticket, membership or badge. It holds no biometric data. The retention schedule and destruction guidelines are public: {privacyUrl}',
      'Who receives it':
        '{organiser} and the service provider that runs face check-in for {organiser}. Encrypted copies are held on the check-in devices at the entrance. It is not disclosed to anyone else unless the law, a valid warrant or a subpoena requires it. It is never sold, leased, traded or otherwise profited from.',
      'Your rights':
        'Depending on where you live, you may have further rights, such as to see your data, to have it deleted, or to appeal or complain to your state’s attorney general. You are not treated worse for using them. How to reach {organiser}: {privacyUrl}',
      'If you are under 16':
        'A parent or legal guardian has to read this and sign for you. Please let them check their box themselves.',
    },
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
  },
  es: {
    title: 'Check-in facial: aviso biométrico y autorización por escrito',
    introduction:
      '{organiser} ofrece en la entrada un check-in facial. Es opcional. Si prefiere no usarlo, use la entrada habitual: entrará igualmente y sin costo adicional. El check-in facial nunca es condición para comprar un boleto, para una membresía, para un empleo ni para ninguna otra cosa.',
    sections: {
      'Qué se recopila y se almacena':
        'Una foto de su rostro. Se usa una sola vez para hacer un escaneo de su geometría facial, llamado plantilla facial: una serie de números que permite identificarle. En cuanto se crea la plantilla, la foto se destruye; nunca se almacena. La plantilla facial se recopila y se almacena junto con el identificador de su boleto, de su membresía o de su credencial. Es un identificador biométrico o información biométrica según leyes como la Ley de Privacidad de la Información Biométrica de Illinois (Biometric Information Privacy Act).',
      'El propósito específico':
        'El único propósito es verificar, cuando llegue, que usted es la persona a quien pertenece el boleto, la tarjeta de membresía o la credencial que presenta. Su rostro se compara con su propia plantilla y con ninguna otra. No se usa para publicidad, para vigilancia ni para entrenar programas. Si no se le reconoce, el personal registrará su llegada.',
      'Cuánto tiempo se conserva y cómo se destruye':
        'Su plantilla facial se recopila, se almacena y se usa hasta el {deletionDate} a más tardar. Se destruye de forma permanente en esa fecha, antes si su propósito se ha cumplido o si usted retira la autorización, y en ningún caso después de tres años desde su última interacción con {organiser}. Las copias en los dispositivos de check-in se destruyen a más tardar en la misma fecha, aunque un dispositivo esté sin conexión. Como prueba se conserva durante más tiempo un registro de esta autorización: qué aceptó, cuándo y para qué boleto, membresía o credencial. No contiene datos biométricos. El calendario de conservación y las pautas de destrucción son públicos: {privacyUrl}',
      'Quién la recibe':
        '{organiser} y el proveedor de servicios que opera el check-in facial para {organiser}. Hay copias cifradas en los dispositivos de check-in de la entrada. No se divulga a nadie más, salvo que lo exijan la ley, una orden judicial válida o una citación. Nunca se vende, se alquila ni se intercambia, ni se obtiene de ella ningún otro lucro.',
      'Sus derechos':
        'Según el lugar donde viva, puede tener otros derechos, como ver sus datos, pedir que se eliminen, apelar o presentar una queja ante el fiscal general de su estado. No se le trata peor por ejercerlos. Cómo comunicarse con {organiser}: {privacyUrl}',
      'Si tiene menos de 16 años':
        'Su padre, su madre o su tutor legal tiene que leer esto y firmar por usted. Deje que esa persona marque su propia casilla.',
    },
    boxes: {
      explicitBiometricConsent:
        'Consiento que {organiser} y su proveedor de servicios recopilen un escaneo de mi geometría facial y lo usen para reconocerme en el check-in, como se describe arriba.',
      writtenRelease:
        'Autorización por escrito: he leído este aviso. Marcar esta casilla es mi firma electrónica. Autorizo a {organiser} y a su proveedor de servicios a recopilar, almacenar y usar mis identificadores biométricos y mi información biométrica para el check-in facial, y a colocar copias cifradas en los dispositivos de check-in, hasta el {deletionDate} a más tardar.',
      under16: 'Tengo menos de 16 años.',
      guardianConsent:
        'Soy padre, madre o tutor legal de esta persona y su representante legalmente autorizado. He leído este aviso, consiento en su nombre y firmo por ella esta autorización por escrito.',
    },
    decline: 'No, gracias: usaré la entrada habitual',
    withdraw:
      'Puede retirar su autorización en cualquier momento, sin costo y sin dar explicaciones: comuníquese con {organiser} como se indica en {privacyUrl}. Su plantilla facial se destruye entonces; un dispositivo de check-in destruye su copia la próxima vez que se conecta. A partir de ese momento usará la entrada habitual.',
  },
});
