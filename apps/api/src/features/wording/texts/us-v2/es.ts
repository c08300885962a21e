import type { WordingText } from '../index.ts';

/** The published Spanish text of the US consent wording v2; never changed once published. */
export const usV2Es: WordingText = {
  title: 'Check-in facial: aviso biométrico y autorización por escrito',
  introduction:
    '{organiser} ofrece en la entrada un check-in facial. Es opcional. Si prefiere no usarlo, use la entrada habitual: entrará igualmente y sin costo adicional. El check-in facial nunca es condición para comprar un boleto, para una membresía, para un empleo ni para ninguna otra cosa.',
  sections: [
    {
      heading: 'Qué se recopila y se almacena',
      text: 'Una foto de su rostro. Se usa una sola vez para hacer un escaneo de su geometría facial, llamado plantilla facial: una serie de números que permite identificarle. En cuanto se crea la plantilla, la foto se destruye; nunca se almacena. La plantilla facial se recopila y se almacena junto con el identificador de su boleto, de su membresía o de su credencial. Es un identificador biométrico o información biométrica según leyes como la Ley de Privacidad de la Información Biométrica de Illinois (Biometric Information Privacy Act).',
    },
    {
      heading: 'El propósito específico',
      text: 'El único propósito es verificar, cuando llegue, que usted es la persona a quien pertenece el boleto, la tarjeta de membresía o la credencial que presenta. Su rostro se compara con su propia plantilla y con ninguna otra. No se usa para publicidad, para vigilancia ni para entrenar programas. Si no se le reconoce, el personal registrará su llegada.',
    },
    {
      heading: 'Cuánto tiempo se conserva y cómo se destruye',
      text: 'Su plantilla facial se recopila, se almacena y se usa hasta el {deletionDate} a más tardar. Se destruye de forma permanente en esa fecha, antes si su propósito se ha cumplido o si usted retira la autorización, y en ningún caso después de tres años desde su última interacción con {organiser}. Las copias en los dispositivos de check-in se destruyen a más tardar en la misma fecha, aunque un dispositivo esté sin conexión. Como prueba se conserva durante más tiempo un registro de esta autorización: qué aceptó, cuándo y para qué boleto, membresía o credencial. No contiene datos biométricos. El calendario de conservación y las pautas de destrucción son públicos: {privacyUrl}',
    },
    {
      heading: 'Quién la recibe',
      text: '{organiser} y el proveedor de servicios que opera el check-in facial para {organiser}. Hay copias cifradas en los dispositivos de check-in de la entrada. No se divulga a nadie más, salvo que lo exijan la ley, una orden judicial válida o una citación. Nunca se vende, se alquila ni se intercambia, ni se obtiene de ella ningún otro lucro.',
    },
    {
      heading: 'Sus derechos',
      text: 'Según el lugar donde viva, puede tener otros derechos, como ver sus datos, pedir que se eliminen, apelar o presentar una queja ante el fiscal general de su estado. No se le trata peor por ejercerlos. Cómo comunicarse con {organiser}: {privacyUrl}',
    },
    {
      heading: 'Si tiene menos de 16 años',
      text: 'Su padre, su madre o su tutor legal tiene que leer esto y firmar por usted. Deje que esa persona marque su propia casilla.',
    },
  ],
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
};
