import type { WordingText } from '../index.ts';

export const euV2Es: WordingText = {
  title: 'Check-in con reconocimiento facial: usted decide',
  introduction:
    '{organiser} ofrece en la puerta un check-in con reconocimiento facial. La participación es voluntaria. Si prefiere no utilizarlo, use el acceso habitual: entrará igualmente, sin coste adicional y sin ninguna desventaja. El check-in con reconocimiento facial nunca es condición para comprar una entrada, para asociarse ni para ninguna otra cosa.',
  sections: [
    {
      heading: 'Qué se utiliza',
      text: 'Una foto de su rostro. Con ella se crea una plantilla facial: una serie de números que permite reconocerle. Se trata de datos biométricos, que la ley protege de manera especial. En cuanto se ha creado la plantilla, la foto desaparece; nunca se almacena. Junto con la plantilla se guarda el identificador de su entrada, de su carné de socio o de su acreditación.',
    },
    {
      heading: 'Para qué se utiliza',
      text: 'Únicamente para comprobar, cuando llegue, que usted es la persona a la que pertenece la entrada, el carné de socio o la acreditación que presenta. Su rostro se compara con su propia plantilla y con ninguna otra. No se utiliza para publicidad, para vigilancia ni para entrenar programas informáticos. Si no se le reconoce, el personal registrará su llegada. La base jurídica es su consentimiento explícito: artículo 6, apartado 1, letra a), y artículo 9, apartado 2, letra a), del Reglamento General de Protección de Datos (RGPD).',
    },
    {
      heading: 'Quién es responsable y quién recibe los datos',
      text: 'El responsable del tratamiento es {organiser}. Un proveedor técnico gestiona el check-in con reconocimiento facial por cuenta de {organiser} y siguiendo únicamente sus instrucciones. En los dispositivos de check-in de la puerta hay copias cifradas de la plantilla. Nadie más la recibe, y nunca se vende. Datos de contacto y toda la información: {privacyUrl}',
    },
    {
      heading: 'Cuánto tiempo se conserva',
      text: 'Su plantilla facial se elimina el {deletionDate} a más tardar, también en los dispositivos de check-in. Como prueba se conserva durante más tiempo un registro de este consentimiento: qué aceptó, cuándo y para qué entrada, carné de socio o acreditación. No contiene ningún dato facial.',
    },
    {
      heading: 'Sus derechos',
      text: 'Puede solicitar el acceso a sus datos, su rectificación, su supresión o la limitación de su tratamiento, así como una copia en un formato que pueda utilizar en otro lugar. También puede presentar una reclamación ante una autoridad de protección de datos, en particular donde resida o trabaje o donde considere que se ha infringido la ley. Cómo contactar con {organiser}: {privacyUrl}',
    },
    {
      heading: 'Si tiene menos de 16 años',
      text: 'También tiene que consentir su padre, su madre o quien ejerza su tutela. Lean esto juntos y deje que esa persona marque su propia casilla.',
    },
  ],
  boxes: {
    explicitBiometricConsent:
      'Consiento explícitamente que {organiser} haga crear una plantilla facial a partir de una foto de mi rostro y la utilice para reconocerme en el check-in.',
    writtenRelease:
      'Confirmo por escrito que he leído la información anterior, que participo por voluntad propia y que mi plantilla facial puede conservarse hasta el {deletionDate} a más tardar y utilizarse en los dispositivos de check-in.',
    under16: 'Tengo menos de 16 años.',
    guardianConsent:
      'Ejerzo la patria potestad o la tutela de esta persona. He leído la información anterior y consiento en su nombre.',
  },
  decline: 'No, gracias: usaré el acceso habitual',
  withdraw:
    'Puede retirar su consentimiento en cualquier momento, de forma gratuita y sin dar explicaciones: diríjase a {organiser} como se indica en {privacyUrl}. Su plantilla facial se elimina entonces; un dispositivo de check-in elimina su copia la próxima vez que se conecta. A partir de ese momento usará el acceso habitual. Lo que se hizo antes de la retirada sigue siendo lícito.',
};
