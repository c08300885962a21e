import type { MailTemplate, MailTexts } from '@svc/protocol';

/** What guests are written in one language. */
export interface MailText {
  readonly invitation: MailTemplate;
  readonly reminder: MailTemplate;
}

/** Of mailings without texts of their own; the languages of the widget. */
export const mailTexts: Readonly<Record<string, MailText>> = {
  en: {
    invitation: {
      subject: 'Your ticket for {event}: check in with your face',
      text: `Hello,

at {event} you can walk in without searching for your ticket: a camera at the door recognises you. If you like, set it up now. It takes one photo and about a minute:

{link}

The link is yours alone and works until {deadline}.

It is up to you. The standard entrance is just as good, and you can change your mind at any time. If you would rather not, choose the standard entrance on the page and you will get no reminder.

How your photo is handled: {privacy}

See you soon
{organiser}`,
    },
    reminder: {
      subject: 'A reminder: face check-in for {event}',
      text: `Hello,

you can still set up face check-in for {event}. One photo, about a minute:

{link}

The link is yours alone and works until {deadline}.

Would you rather use the standard entrance? Choose it on the page, and we will not remind you again.

How your photo is handled: {privacy}

See you soon
{organiser}`,
    },
  },
  de: {
    invitation: {
      subject: 'Ihr Ticket für {event}: mit dem Gesicht einchecken',
      text: `Guten Tag,

bei {event} kommen Sie hinein, ohne Ihr Ticket zu suchen: Eine Kamera am Eingang erkennt Sie. Wenn Sie möchten, richten Sie das jetzt ein. Ein Foto genügt, es dauert etwa eine Minute:

{link}

Der Link ist nur für Sie und gilt bis {deadline}.

Die Entscheidung liegt bei Ihnen. Der normale Eingang ist genauso gut, und Sie können jederzeit widerrufen. Möchten Sie nicht, dann wählen Sie auf der Seite den normalen Eingang. Wir erinnern Sie dann nicht mehr.

So gehen wir mit Ihrem Foto um: {privacy}

Bis bald
{organiser}`,
    },
    reminder: {
      subject: 'Zur Erinnerung: mit dem Gesicht einchecken bei {event}',
      text: `Guten Tag,

Sie können den Check-in per Gesicht für {event} noch einrichten. Ein Foto genügt, es dauert etwa eine Minute:

{link}

Der Link ist nur für Sie und gilt bis {deadline}.

Nehmen Sie lieber den normalen Eingang? Wählen Sie ihn auf der Seite, dann erinnern wir Sie nicht mehr.

So gehen wir mit Ihrem Foto um: {privacy}

Bis bald
{organiser}`,
    },
  },
  fr: {
    invitation: {
      subject: 'Votre billet pour {event} : entrez avec votre visage',
      text: `Bonjour,

Pour {event}, plus besoin de chercher votre billet à l’entrée : une caméra vous reconnaît. Si vous le souhaitez, activez cette option dès maintenant. Une photo suffit, cela prend une minute environ :

{link}

Ce lien est personnel et valable jusqu’au {deadline}.

Vous avez le choix. L’entrée habituelle convient tout aussi bien et vous pouvez changer d’avis à tout moment. Si vous ne souhaitez pas participer, choisissez l’entrée habituelle sur la page : vous ne recevrez pas de rappel.

Ce que nous faisons de votre photo : {privacy}

À bientôt
{organiser}`,
    },
    reminder: {
      subject: 'Rappel : l’entrée par reconnaissance faciale pour {event}',
      text: `Bonjour,

Vous pouvez encore activer l’entrée par reconnaissance faciale pour {event}. Une photo suffit, cela prend une minute environ :

{link}

Ce lien est personnel et valable jusqu’au {deadline}.

Vous préférez l’entrée habituelle ? Choisissez-la sur la page et nous ne vous enverrons plus de rappel.

Ce que nous faisons de votre photo : {privacy}

À bientôt
{organiser}`,
    },
  },
  es: {
    invitation: {
      subject: 'Su entrada para {event}: acceda con su rostro',
      text: `Hola:

En {event} puede entrar sin buscar su entrada: una cámara en la puerta le reconoce. Si lo desea, actívelo ahora. Basta una foto y se tarda un minuto, más o menos:

{link}

El enlace es personal y es válido hasta el {deadline}.

Usted decide. El acceso habitual es igual de bueno y puede cambiar de opinión cuando quiera. Si prefiere no participar, elija el acceso habitual en la página y no recibirá ningún recordatorio.

Qué hacemos con su foto: {privacy}

Hasta pronto
{organiser}`,
    },
    reminder: {
      subject: 'Recordatorio: acceso con el rostro a {event}',
      text: `Hola:

Todavía puede activar el acceso con el rostro a {event}. Basta una foto y se tarda un minuto, más o menos:

{link}

El enlace es personal y es válido hasta el {deadline}.

¿Prefiere el acceso habitual? Elíjalo en la página y no le enviaremos más recordatorios.

Qué hacemos con su foto: {privacy}

Hasta pronto
{organiser}`,
    },
  },
  it: {
    invitation: {
      subject: 'Il suo biglietto per {event}: ingresso con il volto',
      text: `Buongiorno,

a {event} può entrare senza cercare il biglietto: una telecamera all’ingresso la riconosce. Se vuole, può attivarlo subito. Basta una foto e ci vuole circa un minuto:

{link}

Il link è personale ed è valido fino a {deadline}.

La scelta è sua. L’ingresso normale va altrettanto bene e può cambiare idea in qualsiasi momento. Se preferisce di no, scelga l’ingresso normale nella pagina: non riceverà promemoria.

Come trattiamo la sua foto: {privacy}

A presto
{organiser}`,
    },
    reminder: {
      subject: 'Promemoria: ingresso con il volto per {event}',
      text: `Buongiorno,

può ancora attivare l’ingresso con il volto per {event}. Basta una foto e ci vuole circa un minuto:

{link}

Il link è personale ed è valido fino a {deadline}.

Preferisce l’ingresso normale? Lo scelga nella pagina e non le scriveremo più.

Come trattiamo la sua foto: {privacy}

A presto
{organiser}`,
    },
  },
  nl: {
    invitation: {
      subject: 'Je ticket voor {event}: naar binnen met je gezicht',
      text: `Hallo,

bij {event} kun je naar binnen zonder je ticket te zoeken: een camera bij de ingang herkent je. Regel het nu als je wilt. Eén foto is genoeg, het duurt ongeveer een minuut:

{link}

De link is alleen voor jou en werkt tot {deadline}.

De keuze is aan jou. De gewone ingang is net zo goed, en je kunt altijd van gedachten veranderen. Liever niet? Kies op de pagina de gewone ingang, dan krijg je geen herinnering.

Zo gaan we met je foto om: {privacy}

Tot snel
{organiser}`,
    },
    reminder: {
      subject: 'Herinnering: inchecken met je gezicht bij {event}',
      text: `Hallo,

je kunt inchecken met je gezicht voor {event} nog instellen. Eén foto is genoeg, het duurt ongeveer een minuut:

{link}

De link is alleen voor jou en werkt tot {deadline}.

Liever de gewone ingang? Kies die op de pagina, dan herinneren we je niet meer.

Zo gaan we met je foto om: {privacy}

Tot snel
{organiser}`,
    },
  },
  pl: {
    invitation: {
      subject: 'Twój bilet na {event}: wejdź, pokazując twarz',
      text: `Dzień dobry,

na {event} możesz wejść bez szukania biletu: rozpozna Cię kamera przy wejściu. Jeśli chcesz, włącz to już teraz. Wystarczy jedno zdjęcie i około minuty:

{link}

Link jest przeznaczony tylko dla Ciebie i działa do: {deadline}.

Wybór należy do Ciebie. Zwykłe wejście jest równie dobre, a zdanie możesz zmienić w każdej chwili. Jeśli wolisz tego nie robić, wybierz na stronie zwykłe wejście – nie wyślemy wtedy przypomnienia.

Co robimy z Twoim zdjęciem: {privacy}

Do zobaczenia
{organiser}`,
    },
    reminder: {
      subject: 'Przypomnienie: wejście z rozpoznawaniem twarzy na {event}',
      text: `Dzień dobry,

nadal możesz włączyć wejście z rozpoznawaniem twarzy na {event}. Wystarczy jedno zdjęcie i około minuty:

{link}

Link jest przeznaczony tylko dla Ciebie i działa do: {deadline}.

Wolisz zwykłe wejście? Wybierz je na stronie, a nie będziemy już przypominać.

Co robimy z Twoim zdjęciem: {privacy}

Do zobaczenia
{organiser}`,
    },
  },
  pt: {
    invitation: {
      subject: 'O seu bilhete para {event}: entre com o rosto',
      text: `Olá,

Em {event} pode entrar sem procurar o bilhete: uma câmara à entrada reconhece-o. Se quiser, ative já esta opção. Basta uma fotografia e demora cerca de um minuto:

{link}

A ligação é pessoal e é válida até {deadline}.

A escolha é sua. A entrada normal é igualmente boa e pode mudar de ideias a qualquer momento. Se preferir não participar, escolha a entrada normal na página e não receberá lembretes.

O que fazemos com a sua fotografia: {privacy}

Até breve
{organiser}`,
    },
    reminder: {
      subject: 'Lembrete: entrada com o rosto em {event}',
      text: `Olá,

Ainda pode ativar a entrada com o rosto em {event}. Basta uma fotografia e demora cerca de um minuto:

{link}

A ligação é pessoal e é válida até {deadline}.

Prefere a entrada normal? Escolha-a na página e não voltaremos a lembrar.

O que fazemos com a sua fotografia: {privacy}

Até breve
{organiser}`,
    },
  },
  sv: {
    invitation: {
      subject: 'Din biljett till {event}: checka in med ansiktet',
      text: `Hej!

På {event} kan du gå in utan att leta efter biljetten: en kamera vid dörren känner igen dig. Vill du, kan du ordna det redan nu. Det räcker med ett foto och tar ungefär en minut:

{link}

Länken är bara din och gäller till {deadline}.

Du väljer själv. Den vanliga ingången är lika bra och du kan ändra dig när som helst. Vill du inte, välj den vanliga ingången på sidan så får du ingen påminnelse.

Så hanterar vi ditt foto: {privacy}

Vi ses snart
{organiser}`,
    },
    reminder: {
      subject: 'Påminnelse: checka in med ansiktet på {event}',
      text: `Hej!

Du kan fortfarande ordna incheckning med ansiktet till {event}. Det räcker med ett foto och tar ungefär en minut:

{link}

Länken är bara din och gäller till {deadline}.

Tar du hellre den vanliga ingången? Välj den på sidan, så påminner vi dig inte mer.

Så hanterar vi ditt foto: {privacy}

Vi ses snart
{organiser}`,
    },
  },
  da: {
    invitation: {
      subject: 'Din billet til {event}: tjek ind med dit ansigt',
      text: `Hej

Til {event} kan du gå ind uden at lede efter din billet: Et kamera ved døren genkender dig. Hvis du har lyst, kan du ordne det nu. Ét foto er nok, og det tager cirka et minut:

{link}

Linket er kun til dig og virker indtil {deadline}.

Du bestemmer. Den almindelige indgang er lige så god, og du kan altid ombestemme dig. Vil du hellre lade være, så vælg den almindelige indgang på siden, og du får ingen påmindelse.

Sådan behandler vi dit foto: {privacy}

Vi ses
{organiser}`,
    },
    reminder: {
      subject: 'Påmindelse: tjek ind med dit ansigt til {event}',
      text: `Hej

Du kan stadig nå at ordne check-in med ansigtet til {event}. Ét foto er nok, og det tager cirka et minut:

{link}

Linket er kun til dig og virker indtil {deadline}.

Vil du hellre bruge den almindelige indgang? Vælg den på siden, så minder vi dig ikke om det igen.

Sådan behandler vi dit foto: {privacy}

Vi ses
{organiser}`,
    },
  },
  cs: {
    invitation: {
      subject: 'Vaše vstupenka na {event}: vstup pomocí obličeje',
      text: `Dobrý den,

na {event} můžete vejít, aniž byste hledali vstupenku: u vchodu vás pozná kamera. Pokud chcete, nastavte si to už teď. Stačí jedna fotka a asi minuta času:

{link}

Odkaz je určen jen vám a platí do: {deadline}.

Rozhodnutí je na vás. Běžný vchod je stejně dobrý a názor můžete kdykoli změnit. Pokud nechcete, zvolte na stránce běžný vchod a připomínku vám nepošleme.

Jak nakládáme s vaší fotkou: {privacy}

Na viděnou
{organiser}`,
    },
    reminder: {
      subject: 'Připomínka: vstup pomocí obličeje na {event}',
      text: `Dobrý den,

vstup pomocí obličeje na {event} si stále můžete nastavit. Stačí jedna fotka a asi minuta času:

{link}

Odkaz je určen jen vám a platí do: {deadline}.

Chcete raději běžný vchod? Zvolte ho na stránce a už vám nic připomínat nebudeme.

Jak nakládáme s vaší fotkou: {privacy}

Na viděnou
{organiser}`,
    },
  },
  ar: {
    invitation: {
      subject: 'تذكرتك إلى {event}: الدخول بالتعرّف على الوجه',
      text: `مرحبًا،

في {event} يمكنك الدخول من دون البحث عن تذكرتك، إذ تتعرّف عليك كاميرا عند المدخل. إن أردت، فعّل ذلك الآن. تكفي صورة واحدة ونحو دقيقة:

{link}

هذا الرابط خاص بك وحدك، وهو صالح حتى {deadline}.

القرار لك. المدخل العادي جيد بالقدر نفسه، ويمكنك تغيير رأيك في أي وقت. إن كنت لا ترغب في ذلك، فاختر المدخل العادي في الصفحة ولن نرسل إليك تذكيرًا.

كيف نتعامل مع صورتك: {privacy}

إلى اللقاء
{organiser}`,
    },
    reminder: {
      subject: 'تذكير: الدخول بالتعرّف على الوجه إلى {event}',
      text: `مرحبًا،

ما زال بإمكانك تفعيل الدخول بالتعرّف على الوجه إلى {event}. تكفي صورة واحدة ونحو دقيقة:

{link}

هذا الرابط خاص بك وحدك، وهو صالح حتى {deadline}.

هل تفضّل المدخل العادي؟ اختره في الصفحة ولن نذكّرك مرة أخرى.

كيف نتعامل مع صورتك: {privacy}

إلى اللقاء
{organiser}`,
    },
  },
};

/** The texts as the API answers them. */
export function listMailTexts(): MailTexts {
  return { items: Object.entries(mailTexts).map(([language, text]) => ({ language, ...text })) };
}
