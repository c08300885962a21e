import type { WordingText } from '../index.ts';

export const euV2Cs: WordingText = {
  title: 'Odbavení pomocí rozpoznání obličeje: volba je na vás',
  introduction:
    '{organiser} nabízí u vstupu odbavení pomocí rozpoznání obličeje. Účast je dobrovolná. Pokud se raději nechcete zúčastnit, použijte běžný vstup: dostanete se dovnitř stejně, bez příplatku a bez jakékoli nevýhody. Odbavení pomocí rozpoznání obličeje nikdy není podmínkou nákupu vstupenky, členství ani čehokoli jiného.',
  sections: [
    {
      heading: 'Co se používá',
      text: 'Jedna fotografie vašeho obličeje. Vytvoří se z ní šablona obličeje: sada čísel, podle které vás lze poznat. Jde o biometrické údaje, které zákon zvlášť chrání. Jakmile šablona vznikne, fotografie přestane existovat; nikdy se neukládá. Spolu se šablonou se uchovává identifikátor vaší vstupenky, členství nebo průkazu.',
    },
    {
      heading: 'K čemu se to používá',
      text: 'Výhradně k tomu, aby se při vašem příchodu ověřilo, že vstupenka, členská karta nebo průkaz, které předkládáte, patří vám. Váš obličej se porovnává s vaší vlastní šablonou a s žádnou jinou. Nepoužívá se k reklamě, ke sledování ani k trénování softwaru. Pokud vás systém nepozná, odbaví vás personál. Právním základem je váš výslovný souhlas: čl. 6 odst. 1 písm. a) a čl. 9 odst. 2 písm. a) obecného nařízení o ochraně osobních údajů (GDPR).',
    },
    {
      heading: 'Kdo za údaje odpovídá a kdo je dostane',
      text: 'Správcem údajů je {organiser}. Odbavení pomocí rozpoznání obličeje provozuje technický poskytovatel jménem správce a výhradně podle jeho pokynů. Zašifrované kopie šablony jsou uloženy v odbavovacích zařízeních u vstupu. Nikdo další ji nedostane a nikdy se neprodává. Kontaktní údaje a vše ostatní: {privacyUrl}',
    },
    {
      heading: 'Jak dlouho se uchovává',
      text: 'Vaše šablona obličeje bude smazána nejpozději {deletionDate}, a to i v odbavovacích zařízeních. Jako doklad se déle uchovává záznam o tomto souhlasu: s čím jste souhlasili, kdy a pro kterou vstupenku, které členství nebo který průkaz. Neobsahuje žádné údaje o obličeji.',
    },
    {
      heading: 'Vaše práva',
      text: 'Můžete požádat o přístup ke svým údajům, o jejich opravu, výmaz nebo omezení zpracování a o kopii ve formátu, který můžete použít i jinde. Můžete také podat stížnost u dozorového úřadu pro ochranu osobních údajů, zejména v místě svého bydliště nebo pracoviště nebo tam, kde byl podle vás porušen zákon. Jak se obrátit na správce ({organiser}): {privacyUrl}',
    },
    {
      heading: 'Pokud je vám méně než 16 let',
      text: 'Souhlasit musí také rodič nebo zákonný zástupce. Přečtěte si tento text společně a nechte ho, aby své políčko zaškrtl sám.',
    },
  ],
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
};
