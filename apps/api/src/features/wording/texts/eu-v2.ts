import { wordingTexts } from './wording-texts.ts';

/** The published texts of eu-v2 by language, English first; a published text is never edited (docs/consent.md). */
export const euV2 = wordingTexts({
  en: {
    title: 'Face check-in: your choice',
    introduction:
      '{organiser} offers face check-in at the entrance. Taking part is voluntary. If you would rather not, use the standard entrance: you get in just the same, at no extra cost and without any disadvantage. Face check-in is never a condition of buying a ticket, of a membership or of anything else.',
    sections: {
      'What is used':
        'One photo of your face. It is turned into a face template: a set of numbers by which you can be recognised. This is biometric data, which the law specially protects. As soon as the template is made, the photo is gone; it is never stored. The identifier of your ticket, membership or badge is kept with the template.',
      'What it is used for':
        'Only to check, when you arrive, that you are the person to whom the ticket, membership card or badge you show belongs. Your face is compared with your own template and with nobody else’s. It is not used for advertising, for surveillance or for training software. If you are not recognised, a member of staff checks you in. The legal basis is your explicit consent: Article 6(1)(a) and Article 9(2)(a) of the General Data Protection Regulation (GDPR).',
      'Who is responsible, and who receives it':
        'The controller is {organiser}. A technical service provider runs face check-in on its behalf and only on its instructions. Encrypted copies of the template are held on the check-in devices at the entrance. Nobody else receives it, and it is never sold. Contact details and everything else: {privacyUrl}',
      'How long it is kept':
        'Your face template is deleted on {deletionDate} at the latest, on the check-in devices too. As evidence, a record of this consent is kept for longer: what you agreed to, when, and for which ticket, membership or badge. It holds no face data.',
      'Your rights':
        'You can ask for access to your data, for its correction, its erasure or the restriction of its processing, and for a copy in a format that you can take elsewhere. You can also complain to a data protection supervisory authority, in particular where you live or work or where you think the law was broken. How to reach {organiser}: {privacyUrl}',
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
  ar: {
    title: 'تسجيل الوصول بالتعرّف على الوجه: الخيار لك',
    introduction:
      'تتيح جهة {organiser} عند المدخل تسجيل الوصول بالتعرّف على الوجه. المشاركة طوعية. إذا كنت تفضّل عدم المشاركة، فاستخدم المدخل العادي: تدخل بالطريقة نفسها، دون تكلفة إضافية ودون أي أثر سلبي عليك. تسجيل الوصول بالتعرّف على الوجه ليس أبدًا شرطًا لشراء تذكرة أو لعضوية أو لأي شيء آخر.',
    sections: {
      'ما الذي يُستخدَم':
        'صورة واحدة لوجهك. تُحوَّل إلى قالب للوجه: مجموعة من الأرقام يمكن التعرّف عليك بها. هذه بيانات بيومترية يحميها القانون حماية خاصة. وحالما يُنشأ القالب تزول الصورة، ولا تُخزَّن أبدًا. ويُحفَظ مع القالب معرّف تذكرتك أو عضويتك أو بطاقتك.',
      'الغرض من استخدامها':
        'فقط للتحقق عند وصولك من أنك الشخص الذي تعود إليه التذكرة أو بطاقة العضوية أو البطاقة التي تُظهرها. يُقارَن وجهك بقالبك أنت وليس بقالب أي شخص آخر. ولا يُستخدَم للإعلان ولا للمراقبة ولا لتدريب البرامج. وإذا لم يتم التعرّف عليك، فإن أحد الموظفين يسجّل وصولك. الأساس القانوني هو موافقتك الصريحة: المادة 6 الفقرة 1 البند (أ) والمادة 9 الفقرة 2 البند (أ) من اللائحة العامة لحماية البيانات (GDPR).',
      'من المسؤول ومن يتلقّى البيانات':
        'المسؤول عن المعالجة هو {organiser}. ويشغّل مزوّد خدمة تقني تسجيل الوصول بالتعرّف على الوجه نيابةً عن المسؤول عن المعالجة ووفقًا لتعليماته فقط. وتوجد نسخ مشفّرة من القالب على أجهزة تسجيل الوصول عند المدخل. ولا يتلقّاه أي شخص آخر، ولا يُباع أبدًا. بيانات الاتصال وكل ما عدا ذلك: {privacyUrl}',
      'مدة الاحتفاظ به':
        'يُحذف قالب وجهك في {deletionDate} على أبعد تقدير، من أجهزة تسجيل الوصول أيضًا. وكدليل، يُحتفَظ مدة أطول بسجل لهذه الموافقة: ما وافقت عليه، ومتى، ولأي تذكرة أو عضوية أو بطاقة. ولا يحتوي على أي بيانات للوجه.',
      حقوقك:
        'يمكنك طلب الاطلاع على بياناتك أو تصحيحها أو محوها أو تقييد معالجتها، وطلب نسخة بصيغة يمكنك استخدامها في مكان آخر. ويمكنك أيضًا تقديم شكوى إلى سلطة إشرافية لحماية البيانات، ولا سيما حيث تقيم أو تعمل أو حيث ترى أن القانون قد خولف. كيفية التواصل مع {organiser}: {privacyUrl}',
      'إذا كان عمرك أقل من 16 سنة':
        'يجب أن يوافق أيضًا أحد الوالدين أو الوصي. يُرجى قراءة هذا النص معًا، وأن يضع هو بنفسه العلامة في خانته.',
    },
    boxes: {
      explicitBiometricConsent:
        'أوافق صراحةً على أن تكلّف جهة {organiser} بإنشاء قالب للوجه من صورة لوجهي، وأن تستخدمه للتعرّف عليّ عند تسجيل الوصول.',
      writtenRelease:
        'أؤكد كتابةً أنني قرأت المعلومات أعلاه، وأنني أشارك بإرادتي الحرة، وأنه يجوز الاحتفاظ بقالب وجهي حتى {deletionDate} على أبعد تقدير واستخدامه على أجهزة تسجيل الوصول.',
      under16: 'عمري أقل من 16 سنة.',
      guardianConsent:
        'أنا أحد والدَي هذا الشخص أو الوصي عليه، ولي المسؤولية الأبوية عنه. قرأت المعلومات أعلاه وأوافق نيابةً عنه.',
    },
    decline: 'لا شكرًا، سأستخدم المدخل العادي',
    withdraw:
      'يمكنك سحب موافقتك في أي وقت، مجانًا ودون إبداء أي سبب: أبلغ {organiser} بالطريقة الموضّحة في {privacyUrl}. يُحذف عندئذٍ قالب وجهك، ويحذف جهاز تسجيل الوصول نسخته في المرة التالية التي يتصل فيها. وبعد ذلك تستخدم المدخل العادي. وما جرى قبل سحب الموافقة يبقى مشروعًا.',
  },
  cs: {
    title: 'Odbavení pomocí rozpoznání obličeje: volba je na vás',
    introduction:
      '{organiser} nabízí u vstupu odbavení pomocí rozpoznání obličeje. Účast je dobrovolná. Pokud se raději nechcete zúčastnit, použijte běžný vstup: dostanete se dovnitř stejně, bez příplatku a bez jakékoli nevýhody. Odbavení pomocí rozpoznání obličeje nikdy není podmínkou nákupu vstupenky, členství ani čehokoli jiného.',
    sections: {
      'Co se používá':
        'Jedna fotografie vašeho obličeje. Vytvoří se z ní šablona obličeje: sada čísel, podle které vás lze poznat. Jde o biometrické údaje, které zákon zvlášť chrání. Jakmile šablona vznikne, fotografie přestane existovat; nikdy se neukládá. Spolu se šablonou se uchovává identifikátor vaší vstupenky, členství nebo průkazu.',
      'K čemu se to používá':
        'Výhradně k tomu, aby se při vašem příchodu ověřilo, že vstupenka, členská karta nebo průkaz, které předkládáte, patří vám. Váš obličej se porovnává s vaší vlastní šablonou a s žádnou jinou. Nepoužívá se k reklamě, ke sledování ani k trénování softwaru. Pokud vás systém nepozná, odbaví vás personál. Právním základem je váš výslovný souhlas: čl. 6 odst. 1 písm. a) a čl. 9 odst. 2 písm. a) obecného nařízení o ochraně osobních údajů (GDPR).',
      'Kdo za údaje odpovídá a kdo je dostane':
        'Správcem údajů je {organiser}. Odbavení pomocí rozpoznání obličeje provozuje technický poskytovatel jménem správce a výhradně podle jeho pokynů. Zašifrované kopie šablony jsou uloženy v odbavovacích zařízeních u vstupu. Nikdo další ji nedostane a nikdy se neprodává. Kontaktní údaje a vše ostatní: {privacyUrl}',
      'Jak dlouho se uchovává':
        'Vaše šablona obličeje bude smazána nejpozději {deletionDate}, a to i v odbavovacích zařízeních. Jako doklad se déle uchovává záznam o tomto souhlasu: s čím jste souhlasili, kdy a pro kterou vstupenku, které členství nebo který průkaz. Neobsahuje žádné údaje o obličeji.',
      'Vaše práva':
        'Můžete požádat o přístup ke svým údajům, o jejich opravu, výmaz nebo omezení zpracování a o kopii ve formátu, který můžete použít i jinde. Můžete také podat stížnost u dozorového úřadu pro ochranu osobních údajů, zejména v místě svého bydliště nebo pracoviště nebo tam, kde byl podle vás porušen zákon. Jak se obrátit na správce ({organiser}): {privacyUrl}',
      'Pokud je vám méně než 16 let':
        'Souhlasit musí také rodič nebo zákonný zástupce. Přečtěte si tento text společně a nechte ho, aby své políčko zaškrtl sám.',
    },
    boxes: {
      explicitBiometricConsent:
        'Výslovně souhlasím s tím, aby správce ({organiser}) nechal z fotografie mého obličeje vytvořit šablonu obličeje a používal ji k mému rozpoznání při odbavení.',
      writtenRelease:
        'Písemně potvrzuji, že jsem si přečetl(a) výše uvedené informace, že se účastním z vlastní vůle a že moje šablona obličeje smí být uchována nejpozději do {deletionDate} a používána v odbavovacích zařízeních.',
      under16: 'Je mi méně než 16 let.',
      guardianConsent:
        'Jsem rodičem nebo zákonným zástupcem této osoby. Přečetl(a) jsem si výše uvedené informace a souhlasím jejím jménem.',
    },
    decline: 'Ne, děkuji, použiji běžný vstup',
    withdraw:
      'Souhlas můžete kdykoli, bezplatně a bez udání důvodu odvolat: oznamte to správci ({organiser}) způsobem popsaným na {privacyUrl}. Vaše šablona obličeje se poté smaže; odbavovací zařízení smaže svou kopii, jakmile se příště připojí. Pak použijete běžný vstup. Co bylo provedeno před odvoláním, zůstává v souladu se zákonem.',
  },
  da: {
    title: 'Check-in med ansigtsgenkendelse: du vælger selv',
    introduction:
      '{organiser} tilbyder check-in med ansigtsgenkendelse ved indgangen. Det er frivilligt at deltage. Vil du hellere lade være, bruger du den almindelige indgang: du kommer ind på lige fod med alle andre, uden ekstra omkostninger og uden nogen ulemper. Check-in med ansigtsgenkendelse er aldrig en betingelse for at købe en billet, for et medlemskab eller for noget andet.',
    sections: {
      'Hvad der bruges':
        'Ét foto af dit ansigt. Det omdannes til en ansigtsskabelon: et sæt tal, som du kan genkendes på. Det er biometriske data, som loven beskytter særligt. Så snart skabelonen er lavet, er fotoet væk; det bliver aldrig gemt. Sammen med skabelonen gemmes nummeret på din billet, dit medlemskab eller dit adgangskort.',
      'Hvad det bruges til':
        'Kun til at kontrollere, når du kommer, at den billet, det medlemskort eller det adgangskort, du viser, tilhører dig. Dit ansigt sammenlignes med din egen skabelon og ikke med andres. Det bruges ikke til reklame, overvågning eller træning af software. Bliver du ikke genkendt, checker personalet dig ind. Retsgrundlaget er dit udtrykkelige samtykke: artikel 6, stk. 1, litra a, og artikel 9, stk. 2, litra a, i databeskyttelsesforordningen (GDPR).',
      'Hvem der er ansvarlig, og hvem der får oplysningerne':
        'Den dataansvarlige er {organiser}. En teknisk leverandør driver check-in med ansigtsgenkendelse på den dataansvarliges vegne og kun efter dennes instruks. Krypterede kopier af skabelonen ligger på check-in-enhederne ved indgangen. Ingen andre får den, og den bliver aldrig solgt. Kontaktoplysninger og alt andet: {privacyUrl}',
      'Hvor længe den opbevares':
        'Din ansigtsskabelon slettes senest den {deletionDate}, også på check-in-enhederne. Som bevis opbevares en registrering af dette samtykke i længere tid: hvad du har givet samtykke til, hvornår, og til hvilken billet, hvilket medlemskab eller hvilket adgangskort. Den indeholder ingen ansigtsdata.',
      'Dine rettigheder':
        'Du kan bede om indsigt i dine oplysninger, om at få dem berigtiget eller slettet eller om begrænsning af behandlingen, og om en kopi i et format, som du kan bruge andre steder. Du kan også klage til en tilsynsmyndighed for databeskyttelse, især der, hvor du bor eller arbejder, eller hvor du mener, at loven er overtrådt. Sådan kontakter du {organiser}: {privacyUrl}',
      'Hvis du er under 16 år':
        'Så skal en forælder eller værge også give samtykke. Læs dette sammen, og lad forælderen eller værgen selv sætte kryds i sit felt.',
    },
    boxes: {
      explicitBiometricConsent:
        'Jeg giver udtrykkeligt samtykke til, at {organiser} får lavet en ansigtsskabelon ud fra et foto af mit ansigt og bruger den til at genkende mig ved check-in.',
      writtenRelease:
        'Jeg bekræfter skriftligt, at jeg har læst oplysningerne ovenfor, at jeg deltager af egen fri vilje, og at min ansigtsskabelon må opbevares til senest den {deletionDate} og bruges på check-in-enhederne.',
      under16: 'Jeg er under 16 år.',
      guardianConsent:
        'Jeg har forældremyndigheden over eller er værge for denne person. Jeg har læst oplysningerne ovenfor og giver samtykke på personens vegne.',
    },
    decline: 'Nej tak, jeg bruger den almindelige indgang',
    withdraw:
      'Du kan til enhver tid trække dit samtykke tilbage, gratis og uden at give en grund: giv {organiser} besked som beskrevet på {privacyUrl}. Din ansigtsskabelon bliver så slettet; en check-in-enhed sletter sin kopi, næste gang den har forbindelse. Derefter bruger du den almindelige indgang. Det, der er sket, før du trak samtykket tilbage, er fortsat lovligt.',
  },
  de: {
    title: 'Check-in per Gesichtserkennung: Sie entscheiden',
    introduction:
      '{organiser} bietet am Eingang einen Check-in per Gesichtserkennung an. Die Teilnahme ist freiwillig. Wenn Sie nicht teilnehmen möchten, nutzen Sie den normalen Eingang: Sie kommen genauso hinein, ohne Mehrkosten und ohne jeden Nachteil. Der Check-in per Gesichtserkennung ist niemals Bedingung für den Kauf eines Tickets, für eine Mitgliedschaft oder für irgendetwas anderes.',
    sections: {
      'Was verwendet wird':
        'Ein Foto Ihres Gesichts. Daraus wird ein Gesichtstemplate erstellt: eine Reihe von Zahlen, an denen Sie wiedererkannt werden können. Das sind biometrische Daten, die das Gesetz besonders schützt. Sobald das Template erstellt ist, ist das Foto weg; es wird niemals gespeichert. Zusammen mit dem Template wird die Kennung Ihres Tickets, Ihrer Mitgliedschaft oder Ihres Badges gespeichert.',
      'Wozu es verwendet wird':
        'Ausschließlich, um bei Ihrer Ankunft zu prüfen, ob Sie die Person sind, zu der das vorgezeigte Ticket, die Mitgliedskarte oder der Badge gehört. Ihr Gesicht wird mit Ihrem eigenen Template verglichen und mit keinem anderen. Es wird nicht für Werbung, nicht zur Überwachung und nicht zum Trainieren von Software verwendet. Werden Sie nicht erkannt, checkt das Personal Sie ein. Rechtsgrundlage ist Ihre ausdrückliche Einwilligung: Artikel 6 Absatz 1 Buchstabe a und Artikel 9 Absatz 2 Buchstabe a der Datenschutz-Grundverordnung (DSGVO).',
      'Wer verantwortlich ist und wer die Daten erhält':
        'Verantwortlich ist {organiser}. Ein technischer Dienstleister betreibt den Check-in per Gesichtserkennung im Auftrag und ausschließlich nach Weisung von {organiser}. Verschlüsselte Kopien des Templates liegen auf den Check-in-Geräten am Eingang. Niemand sonst erhält es, und es wird niemals verkauft. Kontaktdaten und alles Weitere: {privacyUrl}',
      'Wie lange es gespeichert wird':
        'Ihr Gesichtstemplate wird spätestens am {deletionDate} gelöscht, auch auf den Check-in-Geräten. Als Nachweis wird eine Aufzeichnung dieser Einwilligung länger aufbewahrt: worin Sie eingewilligt haben, wann, und für welches Ticket, welche Mitgliedschaft oder welchen Badge. Sie enthält keine Gesichtsdaten.',
      'Ihre Rechte':
        'Sie können Auskunft über Ihre Daten verlangen, ihre Berichtigung, ihre Löschung oder die Einschränkung ihrer Verarbeitung sowie eine Kopie in einem Format, das Sie anderswo weiterverwenden können. Außerdem können Sie sich bei einer Datenschutzaufsichtsbehörde beschweren, insbesondere an Ihrem Wohnort, an Ihrem Arbeitsort oder dort, wo Sie einen Rechtsverstoß vermuten. So erreichen Sie {organiser}: {privacyUrl}',
      'Wenn Sie unter 16 sind':
        'Dann muss auch eine sorgeberechtigte Person einwilligen. Bitte lesen Sie dies gemeinsam und lassen Sie diese Person ihr Kästchen selbst ankreuzen.',
    },
    boxes: {
      explicitBiometricConsent:
        'Ich willige ausdrücklich ein, dass {organiser} aus einem Foto meines Gesichts ein Gesichtstemplate erstellen lässt und es verwendet, um mich beim Check-in wiederzuerkennen.',
      writtenRelease:
        'Ich bestätige in Textform, dass ich die Informationen oben gelesen habe, dass ich freiwillig teilnehme und dass mein Gesichtstemplate bis spätestens {deletionDate} gespeichert und auf den Check-in-Geräten verwendet werden darf.',
      under16: 'Ich bin unter 16 Jahre alt.',
      guardianConsent:
        'Ich bin für diese Person sorgeberechtigt. Ich habe die Informationen oben gelesen und willige für sie ein.',
    },
    decline: 'Nein danke, ich nehme den normalen Eingang',
    withdraw:
      'Sie können Ihre Einwilligung jederzeit kostenlos und ohne Angabe von Gründen widerrufen: Wenden Sie sich an {organiser}, wie unter {privacyUrl} beschrieben. Ihr Gesichtstemplate wird dann gelöscht; ein Check-in-Gerät löscht seine Kopie, sobald es das nächste Mal Verbindung hat. Danach nutzen Sie den normalen Eingang. Was vor dem Widerruf geschehen ist, bleibt rechtmäßig.',
  },
  es: {
    title: 'Check-in con reconocimiento facial: usted decide',
    introduction:
      '{organiser} ofrece en la puerta un check-in con reconocimiento facial. La participación es voluntaria. Si prefiere no utilizarlo, use el acceso habitual: entrará igualmente, sin coste adicional y sin ninguna desventaja. El check-in con reconocimiento facial nunca es condición para comprar una entrada, para asociarse ni para ninguna otra cosa.',
    sections: {
      'Qué se utiliza':
        'Una foto de su rostro. Con ella se crea una plantilla facial: una serie de números que permite reconocerle. Se trata de datos biométricos, que la ley protege de manera especial. En cuanto se ha creado la plantilla, la foto desaparece; nunca se almacena. Junto con la plantilla se guarda el identificador de su entrada, de su carné de socio o de su acreditación.',
      'Para qué se utiliza':
        'Únicamente para comprobar, cuando llegue, que usted es la persona a la que pertenece la entrada, el carné de socio o la acreditación que presenta. Su rostro se compara con su propia plantilla y con ninguna otra. No se utiliza para publicidad, para vigilancia ni para entrenar programas informáticos. Si no se le reconoce, el personal registrará su llegada. La base jurídica es su consentimiento explícito: artículo 6, apartado 1, letra a), y artículo 9, apartado 2, letra a), del Reglamento General de Protección de Datos (RGPD).',
      'Quién es responsable y quién recibe los datos':
        'El responsable del tratamiento es {organiser}. Un proveedor técnico gestiona el check-in con reconocimiento facial por cuenta de {organiser} y siguiendo únicamente sus instrucciones. En los dispositivos de check-in de la puerta hay copias cifradas de la plantilla. Nadie más la recibe, y nunca se vende. Datos de contacto y toda la información: {privacyUrl}',
      'Cuánto tiempo se conserva':
        'Su plantilla facial se elimina el {deletionDate} a más tardar, también en los dispositivos de check-in. Como prueba se conserva durante más tiempo un registro de este consentimiento: qué aceptó, cuándo y para qué entrada, carné de socio o acreditación. No contiene ningún dato facial.',
      'Sus derechos':
        'Puede solicitar el acceso a sus datos, su rectificación, su supresión o la limitación de su tratamiento, así como una copia en un formato que pueda utilizar en otro lugar. También puede presentar una reclamación ante una autoridad de protección de datos, en particular donde resida o trabaje o donde considere que se ha infringido la ley. Cómo contactar con {organiser}: {privacyUrl}',
      'Si tiene menos de 16 años':
        'También tiene que consentir su padre, su madre o quien ejerza su tutela. Lean esto juntos y deje que esa persona marque su propia casilla.',
    },
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
  },
  fr: {
    title: 'Check-in par reconnaissance faciale : à vous de choisir',
    introduction:
      '{organiser} propose à l’entrée un check-in par reconnaissance faciale. La participation est facultative. Si vous préférez ne pas l’utiliser, passez par l’entrée classique : vous entrez tout aussi bien, sans frais supplémentaires et sans aucun désavantage. Le check-in par reconnaissance faciale n’est jamais une condition pour acheter un billet, pour adhérer ou pour quoi que ce soit d’autre.',
    sections: {
      'Ce qui est utilisé':
        'Une photo de votre visage. Elle est transformée en gabarit facial : une suite de nombres qui permet de vous reconnaître. Il s’agit de données biométriques, que la loi protège tout particulièrement. Dès que le gabarit est créé, la photo disparaît ; elle n’est jamais conservée. L’identifiant de votre billet, de votre adhésion ou de votre badge est conservé avec le gabarit.',
      'À quoi cela sert':
        'Uniquement à vérifier, à votre arrivée, que vous êtes bien la personne à qui appartient le billet, la carte de membre ou le badge que vous présentez. Votre visage est comparé à votre propre gabarit et à aucun autre. Il n’est utilisé ni pour la publicité, ni pour la surveillance, ni pour entraîner des logiciels. Si la reconnaissance échoue, un membre du personnel vous enregistre. La base juridique est votre consentement explicite : article 6, paragraphe 1, point a), et article 9, paragraphe 2, point a), du règlement général sur la protection des données (RGPD).',
      'Qui est responsable et qui reçoit les données':
        'Le responsable du traitement est {organiser}. Un prestataire technique exploite le check-in par reconnaissance faciale pour son compte et uniquement sur ses instructions. Des copies chiffrées du gabarit se trouvent sur les appareils de check-in à l’entrée. Personne d’autre ne le reçoit, et il n’est jamais vendu. Coordonnées et informations complètes : {privacyUrl}',
      'Durée de conservation':
        'Votre gabarit facial est supprimé le {deletionDate} au plus tard, y compris sur les appareils de check-in. À titre de preuve, une trace de ce consentement est conservée plus longtemps : ce que vous avez accepté, quand, et pour quel billet, quelle adhésion ou quel badge. Elle ne contient aucune donnée faciale.',
      'Vos droits':
        'Vous pouvez demander l’accès à vos données, leur rectification, leur effacement ou la limitation de leur traitement, ainsi qu’une copie dans un format que vous pouvez réutiliser ailleurs. Vous pouvez également introduire une réclamation auprès d’une autorité de protection des données, en particulier là où vous résidez ou travaillez, ou là où vous estimez que la loi n’a pas été respectée. Pour joindre {organiser} : {privacyUrl}',
      'Si vous avez moins de 16 ans':
        'Un parent ou un tuteur doit également consentir. Lisez ceci ensemble et laissez cette personne cocher elle-même sa case.',
    },
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
  },
  it: {
    title: 'Check-in con riconoscimento facciale: a lei la scelta',
    introduction:
      '{organiser} offre all’ingresso un check-in con riconoscimento facciale. La partecipazione è volontaria. Se preferisce non utilizzarlo, usi l’ingresso ordinario: entrerà ugualmente, senza costi aggiuntivi e senza alcuno svantaggio. Il check-in con riconoscimento facciale non è mai una condizione per acquistare un biglietto, per iscriversi o per qualsiasi altra cosa.',
    sections: {
      'Che cosa si utilizza':
        'Una foto del suo volto. La foto viene trasformata in un modello del volto: una serie di numeri che permette di riconoscerla. Si tratta di dati biometrici, che la legge tutela in modo particolare. Non appena il modello è stato creato, la foto scompare; non viene mai conservata. Insieme al modello viene conservato l’identificativo del suo biglietto, della sua tessera o del suo badge.',
      'A che cosa serve':
        'Soltanto a verificare, al suo arrivo, che lei sia la persona a cui appartiene il biglietto, la tessera o il badge che presenta. Il suo volto viene confrontato con il suo modello e con nessun altro. Non viene utilizzato per la pubblicità, per la sorveglianza o per addestrare software. Se il riconoscimento non riesce, sarà il personale a registrare il suo arrivo. La base giuridica è il suo consenso esplicito: articolo 6, paragrafo 1, lettera a), e articolo 9, paragrafo 2, lettera a), del Regolamento generale sulla protezione dei dati (GDPR).',
      'Chi è responsabile e chi riceve i dati':
        'Il titolare del trattamento è {organiser}. Un fornitore tecnico gestisce il check-in con riconoscimento facciale per conto di {organiser} e soltanto secondo le sue istruzioni. Copie cifrate del modello si trovano sui dispositivi di check-in all’ingresso. Nessun altro lo riceve, e non viene mai venduto. Contatti e ogni altra informazione: {privacyUrl}',
      'Per quanto tempo viene conservato':
        'Il suo modello del volto viene cancellato il {deletionDate} al più tardi, anche sui dispositivi di check-in. Come prova, una registrazione di questo consenso viene conservata più a lungo: a che cosa ha acconsentito, quando, e per quale biglietto, tessera o badge. Non contiene alcun dato del volto.',
      'I suoi diritti':
        'Può chiedere l’accesso ai suoi dati, la loro rettifica, la loro cancellazione o la limitazione del loro trattamento, nonché una copia in un formato che può riutilizzare altrove. Può inoltre presentare reclamo a un’autorità di protezione dei dati, in particolare dove risiede o lavora oppure dove ritiene che la legge sia stata violata. Per contattare {organiser}: {privacyUrl}',
      'Se ha meno di 16 anni':
        'Deve acconsentire anche un genitore o un tutore. Leggete insieme queste informazioni e lasci che sia quella persona a spuntare la propria casella.',
    },
    boxes: {
      explicitBiometricConsent:
        'Acconsento esplicitamente a che {organiser} faccia creare un modello del volto da una foto del mio viso e lo utilizzi per riconoscermi al check-in.',
      writtenRelease:
        'Confermo per iscritto di aver letto le informazioni riportate sopra e di partecipare di mia spontanea volontà, e acconsento a che il mio modello del volto sia conservato fino al {deletionDate} al più tardi e utilizzato sui dispositivi di check-in.',
      under16: 'Ho meno di 16 anni.',
      guardianConsent:
        'Esercito la responsabilità genitoriale o la tutela su questa persona. Ho letto le informazioni riportate sopra e acconsento per suo conto.',
    },
    decline: 'No, grazie: userò l’ingresso ordinario',
    withdraw:
      'Può revocare il consenso in qualsiasi momento, gratuitamente e senza fornire motivazioni: si rivolga a {organiser} come indicato su {privacyUrl}. Il suo modello del volto viene quindi cancellato; un dispositivo di check-in cancella la propria copia alla connessione successiva. Da quel momento userà l’ingresso ordinario. Quanto avvenuto prima della revoca resta lecito.',
  },
  nl: {
    title: 'Inchecken met gezichtsherkenning: u kiest',
    introduction:
      '{organiser} biedt bij de ingang inchecken met gezichtsherkenning aan. Meedoen is vrijwillig. Doet u liever niet mee, gebruik dan de gewone ingang: u komt net zo goed binnen, zonder extra kosten en zonder enig nadeel. Inchecken met gezichtsherkenning is nooit een voorwaarde voor het kopen van een ticket, voor een lidmaatschap of voor iets anders.',
    sections: {
      'Wat er wordt gebruikt':
        'Eén foto van uw gezicht. Daarvan wordt een gezichtstemplate gemaakt: een reeks getallen waaraan u te herkennen bent. Dit zijn biometrische gegevens, die de wet extra beschermt. Zodra het template is gemaakt, is de foto weg; die wordt nooit bewaard. De code van uw ticket, lidmaatschap of badge wordt bij het template bewaard.',
      'Waarvoor het wordt gebruikt':
        'Alleen om bij uw aankomst te controleren of u de persoon bent bij wie het ticket, de lidmaatschapskaart of de badge hoort die u laat zien. Uw gezicht wordt vergeleken met uw eigen template en met dat van niemand anders. Het wordt niet gebruikt voor reclame, voor toezicht of om software te trainen. Wordt u niet herkend, dan checkt een medewerker u in. De rechtsgrond is uw uitdrukkelijke toestemming: artikel 6, lid 1, onder a, en artikel 9, lid 2, onder a, van de Algemene verordening gegevensbescherming (AVG).',
      'Wie verantwoordelijk is en wie de gegevens ontvangt':
        'De verwerkingsverantwoordelijke is {organiser}. Een technische dienstverlener verzorgt het inchecken met gezichtsherkenning in opdracht van {organiser} en uitsluitend volgens diens instructies. Versleutelde kopieën van het template staan op de incheckapparaten bij de ingang. Niemand anders ontvangt het, en het wordt nooit verkocht. Contactgegevens en alle verdere informatie: {privacyUrl}',
      'Hoelang het wordt bewaard':
        'Uw gezichtstemplate wordt uiterlijk op {deletionDate} gewist, ook op de incheckapparaten. Als bewijs wordt een vastlegging van deze toestemming langer bewaard: waarmee u hebt ingestemd, wanneer, en voor welk ticket, welk lidmaatschap of welke badge. Daar staan geen gezichtsgegevens in.',
      'Uw rechten':
        'U kunt vragen om inzage in uw gegevens, om rectificatie, om wissing of om beperking van de verwerking, en om een kopie in een formaat dat u elders kunt gebruiken. U kunt ook een klacht indienen bij een toezichthouder voor gegevensbescherming, met name waar u woont of werkt of waar volgens u de wet is overtreden. Zo bereikt u {organiser}: {privacyUrl}',
      'Als u jonger bent dan 16':
        'Dan moet ook een ouder of voogd toestemming geven. Lees dit samen en laat die persoon het eigen vakje zelf aanvinken.',
    },
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
  },
  pl: {
    title: 'Wejście z rozpoznawaniem twarzy: wybór należy do Ciebie',
    introduction:
      '{organiser} oferuje wejście z rozpoznawaniem twarzy. Udział jest dobrowolny. Jeśli nie chcesz z tego korzystać, skorzystaj ze zwykłego wejścia: wejdziesz tak samo, bez dodatkowych kosztów i bez żadnych niekorzystnych skutków. Rozpoznawanie twarzy nigdy nie jest warunkiem zakupu biletu, członkostwa ani czegokolwiek innego.',
    sections: {
      'Co jest wykorzystywane':
        'Jedno zdjęcie Twojej twarzy. Na jego podstawie powstaje wzorzec twarzy: zestaw liczb, dzięki któremu można Cię rozpoznać. Są to dane biometryczne, które prawo szczególnie chroni. Gdy tylko wzorzec powstanie, zdjęcie znika; nigdy nie jest przechowywane. Razem z wzorcem przechowywany jest numer Twojego biletu, karty członkowskiej lub identyfikatora.',
      'Do czego to służy':
        'Wyłącznie do sprawdzenia, gdy przyjdziesz, czy okazany bilet, karta członkowska lub identyfikator należy do Ciebie. Twoja twarz jest porównywana z Twoim własnym wzorcem i z żadnym innym. Nie jest wykorzystywana do reklamy, do nadzoru ani do trenowania oprogramowania. Jeśli rozpoznanie się nie powiedzie, wpuści Cię pracownik obsługi po sprawdzeniu biletu, karty lub identyfikatora. Podstawą prawną jest Twoja wyraźna zgoda: art. 6 ust. 1 lit. a i art. 9 ust. 2 lit. a ogólnego rozporządzenia o ochronie danych (RODO).',
      'Kto odpowiada za dane i kto je otrzymuje':
        'Administratorem danych jest {organiser}. Rozpoznawanie twarzy obsługuje dostawca techniczny, w imieniu administratora i wyłącznie na jego polecenie. Zaszyfrowane kopie wzorca znajdują się na urządzeniach przy wejściu. Nikt inny go nie otrzymuje i nigdy nie jest on sprzedawany. Dane kontaktowe i wszystkie pozostałe informacje: {privacyUrl}',
      'Jak długo wzorzec jest przechowywany':
        'Twój wzorzec twarzy zostanie usunięty najpóźniej {deletionDate}, również z urządzeń przy wejściu. Jako dowód dłużej przechowywany jest zapis tej zgody: na co wyrażono zgodę, kiedy i dla którego biletu, której karty członkowskiej lub którego identyfikatora. Nie zawiera on żadnych danych o twarzy.',
      'Twoje prawa':
        'Możesz zażądać dostępu do swoich danych, ich sprostowania, usunięcia lub ograniczenia ich przetwarzania, a także kopii w formacie, którego można użyć gdzie indziej. Możesz też wnieść skargę do organu nadzorczego ds. ochrony danych, w szczególności w miejscu zamieszkania lub pracy albo tam, gdzie Twoim zdaniem doszło do naruszenia prawa. Jak skontaktować się z administratorem ({organiser}): {privacyUrl}',
      'Jeśli nie masz ukończonych 16 lat':
        'Zgodę musi wyrazić także rodzic lub opiekun prawny. Przeczytajcie to razem; swoje pole rodzic lub opiekun zaznacza osobiście.',
    },
    boxes: {
      explicitBiometricConsent:
        'Wyrażam wyraźną zgodę na utworzenie wzorca twarzy ze zdjęcia mojej twarzy na zlecenie administratora ({organiser}) i na wykorzystanie go do rozpoznania mnie przy wejściu.',
      writtenRelease:
        'Potwierdzam pisemnie, że znam powyższe informacje, że biorę udział z własnej woli i że mój wzorzec twarzy może być przechowywany najpóźniej do {deletionDate} oraz wykorzystywany na urządzeniach przy wejściu.',
      under16: 'Nie mam ukończonych 16 lat.',
      guardianConsent:
        'Sprawuję władzę rodzicielską lub opiekę prawną nad tą osobą. Znam powyższe informacje i wyrażam zgodę w jej imieniu.',
    },
    decline: 'Nie, dziękuję: skorzystam ze zwykłego wejścia',
    withdraw:
      'Zgodę możesz wycofać w każdej chwili, bezpłatnie i bez podawania przyczyny: zgłoś to administratorowi ({organiser}) w sposób opisany na stronie {privacyUrl}. Twój wzorzec twarzy zostanie wtedy usunięty; urządzenie przy wejściu usunie swoją kopię, gdy następnym razem się połączy. Od tej chwili korzystasz ze zwykłego wejścia. To, co zrobiono przed wycofaniem zgody, pozostaje zgodne z prawem.',
  },
  pt: {
    title: 'Check-in com reconhecimento facial: a escolha é sua',
    introduction:
      '{organiser} disponibiliza à entrada um check-in com reconhecimento facial. A participação é voluntária. Se preferir não o usar, utilize a entrada normal: entra da mesma forma, sem custos adicionais e sem qualquer desvantagem. O check-in com reconhecimento facial nunca é condição para comprar um bilhete, para ser membro ou para qualquer outra coisa.',
    sections: {
      'O que é utilizado':
        'Uma fotografia do seu rosto. A partir dela é criado um modelo facial: um conjunto de números que permite o seu reconhecimento. Trata-se de dados biométricos, que a lei protege de forma especial. Logo que o modelo é criado, a fotografia desaparece; nunca é guardada. Juntamente com o modelo é guardado o identificador do seu bilhete, do seu cartão de membro ou da sua credencial.',
      'Para que é utilizado':
        'Apenas para verificar, quando chegar, que é a pessoa a quem pertence o bilhete, o cartão de membro ou a credencial que apresenta. O seu rosto é comparado com o seu próprio modelo e com o de mais ninguém. Não é utilizado para publicidade, para vigilância nem para treinar software. Se não houver reconhecimento, um membro da equipa faz o seu check-in. O fundamento jurídico é o seu consentimento explícito: artigo 6.º, n.º 1, alínea a), e artigo 9.º, n.º 2, alínea a), do Regulamento Geral sobre a Proteção de Dados (RGPD).',
      'Quem é responsável e quem recebe os dados':
        'O responsável pelo tratamento é {organiser}. Um prestador de serviços técnicos assegura o check-in com reconhecimento facial por conta do responsável pelo tratamento e apenas de acordo com as suas instruções. Nos dispositivos de check-in à entrada existem cópias cifradas do modelo. Mais ninguém o recebe, e nunca é vendido. Contactos e todas as outras informações: {privacyUrl}',
      'Durante quanto tempo é conservado':
        'O seu modelo facial é apagado, o mais tardar, a {deletionDate}, também nos dispositivos de check-in. Como prova, é conservado durante mais tempo um registo deste consentimento: aquilo em que consentiu, quando, e para que bilhete, cartão de membro ou credencial. Não contém quaisquer dados faciais.',
      'Os seus direitos':
        'Pode pedir o acesso aos seus dados, a sua retificação, o seu apagamento ou a limitação do seu tratamento, bem como uma cópia num formato que possa utilizar noutro lugar. Pode também apresentar uma reclamação a uma autoridade de proteção de dados, em especial onde reside ou trabalha ou onde considere que a lei foi violada. Como contactar {organiser}: {privacyUrl}',
      'Se tem menos de 16 anos':
        'O pai, a mãe ou quem exerça a tutela também tem de consentir. Leiam isto em conjunto e deixe que seja essa pessoa a assinalar a sua caixa.',
    },
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
  },
  sv: {
    title: 'Incheckning med ansiktsigenkänning: du väljer',
    introduction:
      '{organiser} erbjuder incheckning med ansiktsigenkänning vid ingången. Det är frivilligt att delta. Om du hellre låter bli använder du den vanliga ingången: du kommer in precis lika bra, utan extra kostnad och utan några nackdelar. Incheckning med ansiktsigenkänning är aldrig ett villkor för att köpa en biljett, för ett medlemskap eller för något annat.',
    sections: {
      'Vad som används':
        'Ett foto av ditt ansikte. Det omvandlas till en ansiktsmall: en uppsättning tal som gör att du kan kännas igen. Det är biometriska uppgifter, som lagen skyddar särskilt. Så snart mallen är skapad är fotot borta; det sparas aldrig. Tillsammans med mallen sparas numret på din biljett, ditt medlemskap eller ditt passerkort.',
      'Vad det används till':
        'Endast till att kontrollera, när du kommer, att du är den person som biljetten, medlemskortet eller passerkortet du visar tillhör. Ditt ansikte jämförs med din egen mall och inte med någon annans. Det används inte för reklam, för övervakning eller för att träna programvara. Om du inte känns igen checkas du in av personalen. Den rättsliga grunden är ditt uttryckliga samtycke: artikel 6.1 a och artikel 9.2 a i dataskyddsförordningen (GDPR).',
      'Vem som är ansvarig och vem som får uppgifterna':
        'Personuppgiftsansvarig är {organiser}. En teknisk leverantör sköter incheckningen med ansiktsigenkänning för den personuppgiftsansvariges räkning och endast enligt dennes instruktioner. Krypterade kopior av mallen finns på incheckningsenheterna vid ingången. Ingen annan får den, och den säljs aldrig. Kontaktuppgifter och all övrig information: {privacyUrl}',
      'Hur länge den sparas':
        'Din ansiktsmall raderas senast {deletionDate}, även på incheckningsenheterna. Som bevis sparas en uppgift om detta samtycke längre: vad du har samtyckt till, när, och för vilken biljett, vilket medlemskap eller vilket passerkort. Den innehåller inga ansiktsuppgifter.',
      'Dina rättigheter':
        'Du kan begära tillgång till dina uppgifter, rättelse, radering eller begränsning av behandlingen, och en kopia i ett format som du kan använda någon annanstans. Du kan också lämna in klagomål till en dataskyddsmyndighet, särskilt där du bor eller arbetar eller där du anser att lagen har överträtts. Så når du {organiser}: {privacyUrl}',
      'Om du är under 16 år':
        'Då måste även en vårdnadshavare samtycka. Läs detta tillsammans och låt vårdnadshavaren själv kryssa i sin ruta.',
    },
    boxes: {
      explicitBiometricConsent:
        'Jag samtycker uttryckligen till att {organiser} låter skapa en ansiktsmall av ett foto av mitt ansikte och använder den för att känna igen mig vid incheckningen.',
      writtenRelease:
        'Jag bekräftar skriftligen att jag har läst informationen ovan, att jag deltar av egen fri vilja och att min ansiktsmall får sparas till senast {deletionDate} och användas på incheckningsenheterna.',
      under16: 'Jag är under 16 år.',
      guardianConsent:
        'Jag är vårdnadshavare för den här personen. Jag har läst informationen ovan och samtycker för personens räkning.',
    },
    decline: 'Nej tack, jag använder den vanliga ingången',
    withdraw:
      'Du kan när som helst återkalla ditt samtycke, utan kostnad och utan att ange något skäl: meddela {organiser} på det sätt som beskrivs på {privacyUrl}. Din ansiktsmall raderas då; en incheckningsenhet raderar sin kopia nästa gång den är uppkopplad. Därefter använder du den vanliga ingången. Det som gjordes före återkallelsen är fortfarande lagligt.',
  },
});
