import type { WordingText } from '../index.ts';

export const euV2Pl: WordingText = {
  title: 'Wejście z rozpoznawaniem twarzy: wybór należy do Ciebie',
  introduction:
    '{organiser} oferuje wejście z rozpoznawaniem twarzy. Udział jest dobrowolny. Jeśli nie chcesz z tego korzystać, skorzystaj ze zwykłego wejścia: wejdziesz tak samo, bez dodatkowych kosztów i bez żadnych niekorzystnych skutków. Rozpoznawanie twarzy nigdy nie jest warunkiem zakupu biletu, członkostwa ani czegokolwiek innego.',
  sections: [
    {
      heading: 'Co jest wykorzystywane',
      text: 'Jedno zdjęcie Twojej twarzy. Na jego podstawie powstaje wzorzec twarzy: zestaw liczb, dzięki któremu można Cię rozpoznać. Są to dane biometryczne, które prawo szczególnie chroni. Gdy tylko wzorzec powstanie, zdjęcie znika; nigdy nie jest przechowywane. Razem z wzorcem przechowywany jest numer Twojego biletu, karty członkowskiej lub identyfikatora.',
    },
    {
      heading: 'Do czego to służy',
      text: 'Wyłącznie do sprawdzenia, gdy przyjdziesz, czy okazany bilet, karta członkowska lub identyfikator należy do Ciebie. Twoja twarz jest porównywana z Twoim własnym wzorcem i z żadnym innym. Nie jest wykorzystywana do reklamy, do nadzoru ani do trenowania oprogramowania. Jeśli rozpoznanie się nie powiedzie, wpuści Cię pracownik obsługi po sprawdzeniu biletu, karty lub identyfikatora. Podstawą prawną jest Twoja wyraźna zgoda: art. 6 ust. 1 lit. a i art. 9 ust. 2 lit. a ogólnego rozporządzenia o ochronie danych (RODO).',
    },
    {
      heading: 'Kto odpowiada za dane i kto je otrzymuje',
      text: 'Administratorem danych jest {organiser}. Rozpoznawanie twarzy obsługuje dostawca techniczny, w imieniu administratora i wyłącznie na jego polecenie. Zaszyfrowane kopie wzorca znajdują się na urządzeniach przy wejściu. Nikt inny go nie otrzymuje i nigdy nie jest on sprzedawany. Dane kontaktowe i wszystkie pozostałe informacje: {privacyUrl}',
    },
    {
      heading: 'Jak długo wzorzec jest przechowywany',
      text: 'Twój wzorzec twarzy zostanie usunięty najpóźniej {deletionDate}, również z urządzeń przy wejściu. Jako dowód dłużej przechowywany jest zapis tej zgody: na co wyrażono zgodę, kiedy i dla którego biletu, której karty członkowskiej lub którego identyfikatora. Nie zawiera on żadnych danych o twarzy.',
    },
    {
      heading: 'Twoje prawa',
      text: 'Możesz zażądać dostępu do swoich danych, ich sprostowania, usunięcia lub ograniczenia ich przetwarzania, a także kopii w formacie, którego można użyć gdzie indziej. Możesz też wnieść skargę do organu nadzorczego ds. ochrony danych, w szczególności w miejscu zamieszkania lub pracy albo tam, gdzie Twoim zdaniem doszło do naruszenia prawa. Jak skontaktować się z administratorem ({organiser}): {privacyUrl}',
    },
    {
      heading: 'Jeśli nie masz ukończonych 16 lat',
      text: 'Zgodę musi wyrazić także rodzic lub opiekun prawny. Przeczytajcie to razem; swoje pole rodzic lub opiekun zaznacza osobiście.',
    },
  ],
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
};
