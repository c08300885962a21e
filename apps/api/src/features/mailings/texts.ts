import type { MailTemplate, MailTexts } from '@svc/protocol';

/** What guests are written in one language. */
export interface MailText {
  readonly invitation: MailTemplate;
  readonly reminder: MailTemplate;
}

/** What one of the two mails has of its own. */
interface MailParts {
  readonly subject: string;
  readonly offer: string;
  readonly choice: string;
}

function textOf(o: {
  readonly greeting: string;
  readonly link: string;
  readonly photo: string;
  readonly farewell: string;
  readonly invitation: MailParts;
  readonly reminder: MailParts;
}): MailText {
  const write = ({ subject, offer, choice }: MailParts): MailTemplate => ({
    subject,
    text: [o.greeting, offer, '{link}', o.link, choice, o.photo, `${o.farewell}\n{organiser}`].join('\n\n'),
  });
  return { invitation: write(o.invitation), reminder: write(o.reminder) };
}

/** Of mailings without texts of their own; the languages of the widget. */
export const mailTexts: Readonly<Record<string, MailText>> = {
  en: textOf({
    greeting: 'Hello,',
    link: 'The link is yours alone and works until {deadline}.',
    photo: 'How your photo is handled: {privacy}',
    farewell: 'See you soon',
    invitation: {
      subject: 'Your ticket for {event}: check in with your face',
      offer:
        'at {event} you can walk in without searching for your ticket: a camera at the door recognises you. If you like, set it up now. It takes one photo and about a minute:',
      choice:
        'It is up to you. The standard entrance is just as good, and you can change your mind at any time. If you would rather not, choose the standard entrance on the page and you will get no reminder.',
    },
    reminder: {
      subject: 'A reminder: face check-in for {event}',
      offer: 'you can still set up face check-in for {event}. One photo, about a minute:',
      choice: 'Would you rather use the standard entrance? Choose it on the page, and we will not remind you again.',
    },
  }),
  de: textOf({
    greeting: 'Guten Tag,',
    link: 'Der Link ist nur für Sie und gilt bis {deadline}.',
    photo: 'So gehen wir mit Ihrem Foto um: {privacy}',
    farewell: 'Bis bald',
    invitation: {
      subject: 'Ihr Ticket für {event}: mit dem Gesicht einchecken',
      offer:
        'bei {event} kommen Sie hinein, ohne Ihr Ticket zu suchen: Eine Kamera am Eingang erkennt Sie. Wenn Sie möchten, richten Sie das jetzt ein. Ein Foto genügt, es dauert etwa eine Minute:',
      choice:
        'Die Entscheidung liegt bei Ihnen. Der normale Eingang ist genauso gut, und Sie können jederzeit widerrufen. Möchten Sie nicht, dann wählen Sie auf der Seite den normalen Eingang. Wir erinnern Sie dann nicht mehr.',
    },
    reminder: {
      subject: 'Zur Erinnerung: mit dem Gesicht einchecken bei {event}',
      offer:
        'Sie können den Check-in per Gesicht für {event} noch einrichten. Ein Foto genügt, es dauert etwa eine Minute:',
      choice: 'Nehmen Sie lieber den normalen Eingang? Wählen Sie ihn auf der Seite, dann erinnern wir Sie nicht mehr.',
    },
  }),
  fr: textOf({
    greeting: 'Bonjour,',
    link: 'Ce lien est personnel et valable jusqu’au {deadline}.',
    photo: 'Ce que nous faisons de votre photo : {privacy}',
    farewell: 'À bientôt',
    invitation: {
      subject: 'Votre billet pour {event} : entrez avec votre visage',
      offer:
        'Pour {event}, plus besoin de chercher votre billet à l’entrée : une caméra vous reconnaît. Si vous le souhaitez, activez cette option dès maintenant. Une photo suffit, cela prend une minute environ :',
      choice:
        'Vous avez le choix. L’entrée habituelle convient tout aussi bien et vous pouvez changer d’avis à tout moment. Si vous ne souhaitez pas participer, choisissez l’entrée habituelle sur la page : vous ne recevrez pas de rappel.',
    },
    reminder: {
      subject: 'Rappel : l’entrée par reconnaissance faciale pour {event}',
      offer:
        'Vous pouvez encore activer l’entrée par reconnaissance faciale pour {event}. Une photo suffit, cela prend une minute environ :',
      choice: 'Vous préférez l’entrée habituelle ? Choisissez-la sur la page et nous ne vous enverrons plus de rappel.',
    },
  }),
  es: textOf({
    greeting: 'Hola:',
    link: 'El enlace es personal y es válido hasta el {deadline}.',
    photo: 'Qué hacemos con su foto: {privacy}',
    farewell: 'Hasta pronto',
    invitation: {
      subject: 'Su entrada para {event}: acceda con su rostro',
      offer:
        'En {event} puede entrar sin buscar su entrada: una cámara en la puerta le reconoce. Si lo desea, actívelo ahora. Basta una foto y se tarda un minuto, más o menos:',
      choice:
        'Usted decide. El acceso habitual es igual de bueno y puede cambiar de opinión cuando quiera. Si prefiere no participar, elija el acceso habitual en la página y no recibirá ningún recordatorio.',
    },
    reminder: {
      subject: 'Recordatorio: acceso con el rostro a {event}',
      offer:
        'Todavía puede activar el acceso con el rostro a {event}. Basta una foto y se tarda un minuto, más o menos:',
      choice: '¿Prefiere el acceso habitual? Elíjalo en la página y no le enviaremos más recordatorios.',
    },
  }),
  it: textOf({
    greeting: 'Buongiorno,',
    link: 'Il link è personale ed è valido fino a {deadline}.',
    photo: 'Come trattiamo la sua foto: {privacy}',
    farewell: 'A presto',
    invitation: {
      subject: 'Il suo biglietto per {event}: ingresso con il volto',
      offer:
        'a {event} può entrare senza cercare il biglietto: una telecamera all’ingresso la riconosce. Se vuole, può attivarlo subito. Basta una foto e ci vuole circa un minuto:',
      choice:
        'La scelta è sua. L’ingresso normale va altrettanto bene e può cambiare idea in qualsiasi momento. Se preferisce di no, scelga l’ingresso normale nella pagina: non riceverà promemoria.',
    },
    reminder: {
      subject: 'Promemoria: ingresso con il volto per {event}',
      offer: 'può ancora attivare l’ingresso con il volto per {event}. Basta una foto e ci vuole circa un minuto:',
      choice: 'Preferisce l’ingresso normale? Lo scelga nella pagina e non le scriveremo più.',
    },
  }),
  nl: textOf({
    greeting: 'Hallo,',
    link: 'De link is alleen voor jou en werkt tot {deadline}.',
    photo: 'Zo gaan we met je foto om: {privacy}',
    farewell: 'Tot snel',
    invitation: {
      subject: 'Je ticket voor {event}: naar binnen met je gezicht',
      offer:
        'bij {event} kun je naar binnen zonder je ticket te zoeken: een camera bij de ingang herkent je. Regel het nu als je wilt. Eén foto is genoeg, het duurt ongeveer een minuut:',
      choice:
        'De keuze is aan jou. De gewone ingang is net zo goed, en je kunt altijd van gedachten veranderen. Liever niet? Kies op de pagina de gewone ingang, dan krijg je geen herinnering.',
    },
    reminder: {
      subject: 'Herinnering: inchecken met je gezicht bij {event}',
      offer:
        'je kunt inchecken met je gezicht voor {event} nog instellen. Eén foto is genoeg, het duurt ongeveer een minuut:',
      choice: 'Liever de gewone ingang? Kies die op de pagina, dan herinneren we je niet meer.',
    },
  }),
  pl: textOf({
    greeting: 'Dzień dobry,',
    link: 'Link jest przeznaczony tylko dla Ciebie i działa do: {deadline}.',
    photo: 'Co robimy z Twoim zdjęciem: {privacy}',
    farewell: 'Do zobaczenia',
    invitation: {
      subject: 'Twój bilet na {event}: wejdź, pokazując twarz',
      offer:
        'na {event} możesz wejść bez szukania biletu: rozpozna Cię kamera przy wejściu. Jeśli chcesz, włącz to już teraz. Wystarczy jedno zdjęcie i około minuty:',
      choice:
        'Wybór należy do Ciebie. Zwykłe wejście jest równie dobre, a zdanie możesz zmienić w każdej chwili. Jeśli wolisz tego nie robić, wybierz na stronie zwykłe wejście – nie wyślemy wtedy przypomnienia.',
    },
    reminder: {
      subject: 'Przypomnienie: wejście z rozpoznawaniem twarzy na {event}',
      offer: 'nadal możesz włączyć wejście z rozpoznawaniem twarzy na {event}. Wystarczy jedno zdjęcie i około minuty:',
      choice: 'Wolisz zwykłe wejście? Wybierz je na stronie, a nie będziemy już przypominać.',
    },
  }),
  pt: textOf({
    greeting: 'Olá,',
    link: 'A ligação é pessoal e é válida até {deadline}.',
    photo: 'O que fazemos com a sua fotografia: {privacy}',
    farewell: 'Até breve',
    invitation: {
      subject: 'O seu bilhete para {event}: entre com o rosto',
      offer:
        'Em {event} pode entrar sem procurar o bilhete: uma câmara à entrada reconhece-o. Se quiser, ative já esta opção. Basta uma fotografia e demora cerca de um minuto:',
      choice:
        'A escolha é sua. A entrada normal é igualmente boa e pode mudar de ideias a qualquer momento. Se preferir não participar, escolha a entrada normal na página e não receberá lembretes.',
    },
    reminder: {
      subject: 'Lembrete: entrada com o rosto em {event}',
      offer: 'Ainda pode ativar a entrada com o rosto em {event}. Basta uma fotografia e demora cerca de um minuto:',
      choice: 'Prefere a entrada normal? Escolha-a na página e não voltaremos a lembrar.',
    },
  }),
  sv: textOf({
    greeting: 'Hej!',
    link: 'Länken är bara din och gäller till {deadline}.',
    photo: 'Så hanterar vi ditt foto: {privacy}',
    farewell: 'Vi ses snart',
    invitation: {
      subject: 'Din biljett till {event}: checka in med ansiktet',
      offer:
        'På {event} kan du gå in utan att leta efter biljetten: en kamera vid dörren känner igen dig. Vill du, kan du ordna det redan nu. Det räcker med ett foto och tar ungefär en minut:',
      choice:
        'Du väljer själv. Den vanliga ingången är lika bra och du kan ändra dig när som helst. Vill du inte, välj den vanliga ingången på sidan så får du ingen påminnelse.',
    },
    reminder: {
      subject: 'Påminnelse: checka in med ansiktet på {event}',
      offer:
        'Du kan fortfarande ordna incheckning med ansiktet till {event}. Det räcker med ett foto och tar ungefär en minut:',
      choice: 'Tar du hellre den vanliga ingången? Välj den på sidan, så påminner vi dig inte mer.',
    },
  }),
  da: textOf({
    greeting: 'Hej',
    link: 'Linket er kun til dig og virker indtil {deadline}.',
    photo: 'Sådan behandler vi dit foto: {privacy}',
    farewell: 'Vi ses',
    invitation: {
      subject: 'Din billet til {event}: tjek ind med dit ansigt',
      offer:
        'Til {event} kan du gå ind uden at lede efter din billet: Et kamera ved døren genkender dig. Hvis du har lyst, kan du ordne det nu. Ét foto er nok, og det tager cirka et minut:',
      choice:
        'Du bestemmer. Den almindelige indgang er lige så god, og du kan altid ombestemme dig. Vil du hellre lade være, så vælg den almindelige indgang på siden, og du får ingen påmindelse.',
    },
    reminder: {
      subject: 'Påmindelse: tjek ind med dit ansigt til {event}',
      offer:
        'Du kan stadig nå at ordne check-in med ansigtet til {event}. Ét foto er nok, og det tager cirka et minut:',
      choice: 'Vil du hellre bruge den almindelige indgang? Vælg den på siden, så minder vi dig ikke om det igen.',
    },
  }),
  cs: textOf({
    greeting: 'Dobrý den,',
    link: 'Odkaz je určen jen vám a platí do: {deadline}.',
    photo: 'Jak nakládáme s vaší fotkou: {privacy}',
    farewell: 'Na viděnou',
    invitation: {
      subject: 'Vaše vstupenka na {event}: vstup pomocí obličeje',
      offer:
        'na {event} můžete vejít, aniž byste hledali vstupenku: u vchodu vás pozná kamera. Pokud chcete, nastavte si to už teď. Stačí jedna fotka a asi minuta času:',
      choice:
        'Rozhodnutí je na vás. Běžný vchod je stejně dobrý a názor můžete kdykoli změnit. Pokud nechcete, zvolte na stránce běžný vchod a připomínku vám nepošleme.',
    },
    reminder: {
      subject: 'Připomínka: vstup pomocí obličeje na {event}',
      offer: 'vstup pomocí obličeje na {event} si stále můžete nastavit. Stačí jedna fotka a asi minuta času:',
      choice: 'Chcete raději běžný vchod? Zvolte ho na stránce a už vám nic připomínat nebudeme.',
    },
  }),
  ar: textOf({
    greeting: 'مرحبًا،',
    link: 'هذا الرابط خاص بك وحدك، وهو صالح حتى {deadline}.',
    photo: 'كيف نتعامل مع صورتك: {privacy}',
    farewell: 'إلى اللقاء',
    invitation: {
      subject: 'تذكرتك إلى {event}: الدخول بالتعرّف على الوجه',
      offer:
        'في {event} يمكنك الدخول من دون البحث عن تذكرتك، إذ تتعرّف عليك كاميرا عند المدخل. إن أردت، فعّل ذلك الآن. تكفي صورة واحدة ونحو دقيقة:',
      choice:
        'القرار لك. المدخل العادي جيد بالقدر نفسه، ويمكنك تغيير رأيك في أي وقت. إن كنت لا ترغب في ذلك، فاختر المدخل العادي في الصفحة ولن نرسل إليك تذكيرًا.',
    },
    reminder: {
      subject: 'تذكير: الدخول بالتعرّف على الوجه إلى {event}',
      offer: 'ما زال بإمكانك تفعيل الدخول بالتعرّف على الوجه إلى {event}. تكفي صورة واحدة ونحو دقيقة:',
      choice: 'هل تفضّل المدخل العادي؟ اختره في الصفحة ولن نذكّرك مرة أخرى.',
    },
  }),
};

/** The texts as the API answers them. */
export function listMailTexts(): MailTexts {
  return { items: Object.entries(mailTexts).map(([language, text]) => ({ language, ...text })) };
}
