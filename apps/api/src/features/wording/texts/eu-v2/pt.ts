import type { WordingText } from '../index.ts';

export const euV2Pt: WordingText = {
  title: 'Check-in com reconhecimento facial: a escolha é sua',
  introduction:
    '{organiser} disponibiliza à entrada um check-in com reconhecimento facial. A participação é voluntária. Se preferir não o usar, utilize a entrada normal: entra da mesma forma, sem custos adicionais e sem qualquer desvantagem. O check-in com reconhecimento facial nunca é condição para comprar um bilhete, para ser membro ou para qualquer outra coisa.',
  sections: [
    {
      heading: 'O que é utilizado',
      text: 'Uma fotografia do seu rosto. A partir dela é criado um modelo facial: um conjunto de números que permite o seu reconhecimento. Trata-se de dados biométricos, que a lei protege de forma especial. Logo que o modelo é criado, a fotografia desaparece; nunca é guardada. Juntamente com o modelo é guardado o identificador do seu bilhete, do seu cartão de membro ou da sua credencial.',
    },
    {
      heading: 'Para que é utilizado',
      text: 'Apenas para verificar, quando chegar, que é a pessoa a quem pertence o bilhete, o cartão de membro ou a credencial que apresenta. O seu rosto é comparado com o seu próprio modelo e com o de mais ninguém. Não é utilizado para publicidade, para vigilância nem para treinar software. Se não houver reconhecimento, um membro da equipa faz o seu check-in. O fundamento jurídico é o seu consentimento explícito: artigo 6.º, n.º 1, alínea a), e artigo 9.º, n.º 2, alínea a), do Regulamento Geral sobre a Proteção de Dados (RGPD).',
    },
    {
      heading: 'Quem é responsável e quem recebe os dados',
      text: 'O responsável pelo tratamento é {organiser}. Um prestador de serviços técnicos assegura o check-in com reconhecimento facial por conta do responsável pelo tratamento e apenas de acordo com as suas instruções. Nos dispositivos de check-in à entrada existem cópias cifradas do modelo. Mais ninguém o recebe, e nunca é vendido. Contactos e todas as outras informações: {privacyUrl}',
    },
    {
      heading: 'Durante quanto tempo é conservado',
      text: 'O seu modelo facial é apagado, o mais tardar, a {deletionDate}, também nos dispositivos de check-in. Como prova, é conservado durante mais tempo um registo deste consentimento: aquilo em que consentiu, quando, e para que bilhete, cartão de membro ou credencial. Não contém quaisquer dados faciais.',
    },
    {
      heading: 'Os seus direitos',
      text: 'Pode pedir o acesso aos seus dados, a sua retificação, o seu apagamento ou a limitação do seu tratamento, bem como uma cópia num formato que possa utilizar noutro lugar. Pode também apresentar uma reclamação a uma autoridade de proteção de dados, em especial onde reside ou trabalha ou onde considere que a lei foi violada. Como contactar {organiser}: {privacyUrl}',
    },
    {
      heading: 'Se tem menos de 16 anos',
      text: 'O pai, a mãe ou quem exerça a tutela também tem de consentir. Leiam isto em conjunto e deixe que seja essa pessoa a assinalar a sua caixa.',
    },
  ],
  boxes: {
    explicitBiometricConsent:
      'Consinto explicitamente que {organiser} mande criar um modelo facial a partir de uma fotografia do meu rosto e o utilize para me reconhecer no check-in.',
    writtenRelease:
      'Confirmo por escrito que li as informações acima, que participo de livre vontade e que o meu modelo facial pode ser conservado, o mais tardar, até {deletionDate} e utilizado nos dispositivos de check-in.',
    under16: 'Tenho menos de 16 anos.',
    guardianConsent:
      'Exerço as responsabilidades parentais ou a tutela relativamente a esta pessoa. Li as informações acima e consinto em seu nome.',
  },
  decline: 'Não, prefiro usar a entrada normal',
  withdraw:
    'Pode retirar o seu consentimento a qualquer momento, gratuitamente e sem indicar o motivo: comunique-o a {organiser}, como descrito em {privacyUrl}. O seu modelo facial é então apagado; um dispositivo de check-in apaga a sua cópia na próxima vez que se ligar. A partir daí utiliza a entrada normal. O que foi feito antes da retirada continua a ser lícito.',
};
