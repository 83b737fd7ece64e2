import { pattern, type SearchWords } from './language.ts';

export const polishWords = (): SearchWords => ({
  framing: `gdzie skąd dokąd kiedy kto kogo komu kim co czego czym czy jak jaki jaka jakie jakiego jakiej jakim który która które którego
    której którym dlaczego czemu ile ilu powiedz mówiłem mówiłam powiedziałem wspomniałem pamiętasz pamiętam przypomnij wiesz znasz możesz
    mógłbyś dokładnie teraz obecnie aktualnie obecny obecna aktualny aktualna nazywa nazywam nazywają imię imiona nazwa ma mam masz mamy
    mają miałem był była było jest są robię robi robić muszę powinienem rodzaj ostatnio naprawdę jeszcze własny jakiś jakąś coś zwykle
    bardzo najbardziej chodzi`,
  common: `dzień dni tydzień tygodnie miesiąc rok lata lat godzina godziny minuta czas rano wieczór noc południe dobry dobra nowy nowa nowe
    nowego duży duża mały mała pierwszy ostatni następny idę idzie chodzę chodzi przychodzę biorę bierze używam używa używamy korzystam
    potrzebuję zostaję znajduje zawsze nigdy każdy każda każdego wszystko wszyscy dwa trzy jeden mężczyzna kobieta ludzie osoba rzecz część
    strona miejsce numer początek wcześnie późno lepiej ważny razem kładę mniej więcej około razy daję często`,
  asks: {
    place: pattern(String.raw`\b(?:gdzie|skąd|dokąd|jak(?:i|im|iej) (?:mieście|kraju|adres|ulicy|dzielnicy))\b`),
    time: pattern(
      String.raw`\b(?:kiedy|o której|któr(?:y|ego|ym) (?:dnia|dzień|roku)|jaki dzień|od kiedy|jakiego dnia)\b`,
    ),
    number: pattern(String.raw`\b(?:ile|ilu|jaki numer|jaki rozmiar|jak (?:często|długo|daleko))\b`),
    name: pattern(String.raw`\b(?:kto|kogo|komu|jak (?:się nazywa\p{L}*|ma na imię|wabi)|imię|nazwisko)\b`),
  },
  past: pattern(
    String.raw`\b(?:wcześniej|dawniej|kiedyś|poprzedni\p{L}*|pierwotnie|na początku|był[ay]\p{L}*|mieszkałe?[mś]|mieszkała[mś]|pracowałe?m|pracowałam)\b`,
  ),
  meanings: `
    live: mieszkam mieszka mieszkać mieszkamy żyję adres zamieszkuję przeprowadziłem przeprowadziłam przeprowadzka przeprowadziliśmy wyprowadziłem zamieszkania
    flat: mieszkanie dom kawalerka
    work: pracuję pracuje pracować praca pracę pracy zawód zawodowo pracodawca firma firmie zatrudniony zatrudniona etat posada zarabiam zajmuję stanowisko
    boss: szef szefowa szefem przełożony przełożona kierownik kierowniczka dyrektor menedżer
    colleague: kolega koleżanka współpracownik
    study: studiuję studia studiować uniwersytet uczelnia politechnika kierunek magister licencjat studentka
    school: szkoła szkoły uczeń liceum klasa przedszkole żłobek
    partner: partner partnerka mąż mężem żona żony żoną chłopak dziewczyna narzeczony narzeczona małżonek
    child: dzieci dziecko > syn córka synowie córki niemowlę bliźniaki
    mother: matka mama mamy mamą
    father: ojciec tata taty ojca
    parents: rodzice > matka ojciec mama tata
    sibling: rodzeństwo > siostra brat
    grandmother: babcia
    grandfather: dziadek
    family: rodzina > matka ojciec siostra brat syn córka ciocia wujek
    pet: zwierzę zwierzak zwierzęta > pies psa suka kot kota kotka chomik królik papuga ptak ryba żółw koń
    dog: pies psa psem psu suka szczeniak > labrador jamnik pudel owczarek
    cat: kot kota kotka kotem kociak
    birthday: urodziny urodziłem urodziłam urodzenia urodzony urodzin
    age: wiek lat
    phone: telefon komórka smartfon telefonu komórkowy > iphone pixel galaxy
    mail: mail email poczta
    car: samochód auto samochodem jeżdżę jeździ prowadzę pojazd samochodu > skoda tesla toyota volvo fiat opel octavia
    bike: rower roweru rowerem
    commute: dojeżdżam dojazd jeżdżę > pociąg autobus tramwaj rower metro pociągiem autobusem tramwajem
    like: lubię kocham uwielbiam ulubiony ulubiona ulubione wolę podoba
    hate: nienawidzę nie znoszę
    eat: jem jeść jedzenie danie obiad kolacja posiłek jadam potrawa > pizza makaron zupa sałatka curry sushi pierogi bigos żurek
    drink: piję pić napój pije > kawa kawę herbata herbatę piwo wino woda sok
    breakfast: śniadanie > owsianka płatki kanapka
    allergy: alergia uczulony uczulona alergię uczulenie nietolerancja alergiczny toleruję
    diet: wegetarianin wegetarianka weganin weganka dieta mięso mięsa
    doctor: lekarz lekarka lekarza doktor przychodnia > dentysta kardiolog dermatolog pediatra okulista stomatolog
    dentist: dentysta dentystka stomatolog
    medicine: lek leki lekarstwo tabletka tabletki inhalator leków
    illness: choroba choruję chory chora diagnoza cierpię > cukrzyca astma migrena nadciśnienie
    sport: sport trenuję trening ćwiczę siłownia > biegam bieganie pływam pływanie piłka tenis wspinaczka joga siatkówka boks wioślarstwo
    run: biegam bieganie biegać maraton bieg
    hobby: hobby zainteresowania wolnym pasja > maluję malarstwo fotografia ceramika drutach zbieram ogrodnictwo szachy wspinaczka tańczę
    instrument: instrument gram grać gra > fortepian pianino gitara gitarze skrzypce skrzypcach wiolonczela flet perkusja trąbka saksofon akordeon
    music: muzyka zespół piosenka słucham koncert
    read: czytam czytać książka książki powieść autor autorka
    film: film filmy serial seriale kino oglądam
    game: gra gry gram
    language: język języki języka języków mówię uczę ojczysty > polski angielski francuski niemiecki hiszpański włoski portugalski rosyjski chiński japoński ukraiński
    travel: wakacje urlop podróż podróżuję wyjazd lot samolot lecę wyjeżdżam jadę
    money: pensja wynagrodzenie zarabiam zarobki
    price: kosztuje koszt cena płacę płacić złotych czynsz opłata
    bank: bank konto
    insurance: ubezpieczenie ubezpieczony polisa
    rent: czynsz najem wynajmuję właściciel
    meeting: spotkanie zebranie narada wizyta
    deadline: termin oddać oddania
    begin: zaczyna zaczynam zacząć rozpoczyna początek
    end: kończy koniec kończę zakończenie
    open: otwarty otwarte otwiera godziny zamyka
    wake: wstaję wstawać budzik budzę
    sleep: śpię spać sen łóżko
    wedding: ślub wesele ożeniłem wyszłam pobraliśmy rocznica
    buy: kupiłem kupiłam kupuję kupić kupno
    gift: prezent dostałem dostałam podarunek
    clothes: ubrania > buty spodnie koszula kurtka sukienka
    size: rozmiar wzrost noszę cm wzrostu
    color: kolor > czerwony niebieski zielony żółty turkusowy czarny biały fioletowy pomarańczowy
    computer: komputer laptop pc > macbook thinkpad
    editor: edytor ide > vim neovim emacs vscode
    system: system operacyjny > linux ubuntu windows macos debian
    programming: programuję programowanie kod programowania > python rust typescript java go kotlin javascript
    database: baza danych bazy > postgresql postgres mysql sqlite mariadb
    server: serwer serwery hosting > hetzner aws azure ovh
    password: hasło kod pin
    wifi: wifi internet router
    project: projekt
    customer: klient klientka klienci
    weekday: dzień > poniedziałek wtorek środa środę środy czwartek piątek sobota sobotę niedziela niedzielę
    garden: ogród działka balkon rośliny ogródek > pomidory róże
    meat: mięso > kurczak wołowina wieprzowina
    alcohol: alkohol > piwo wino
    fruit: owoce owoc > jabłko truskawki banan kiwi
    city: miasto miasta mieście
    country: kraj pochodzę
    grow: wychowałem wychowałam dorastałem dzieciństwo pochodzę urodziłem
    club: klub stowarzyszenie chór członek
    volunteer: wolontariusz wolontariuszka wolontariat
    course: kurs zajęcia lekcje uczę
    glasses: okulary soczewki
    fear: boję strach fobia lęk
    smoke: palę palić papierosy
    hairdresser: fryzjer fryzjerka
    therapist: terapeuta fizjoterapeuta psycholog terapia
    repair: warsztat naprawa mechanik
    key: klucz klucze zapasowy
    office: biuro zdalnie
    parking: parking garaż parkuję
    cook: gotuję gotować przepis
    collect: zbieram kolekcja kolekcjonuję
    neighbor: sąsiad sąsiadka sąsiedzi
    sick: chory choroba kontuzja złamałem złamałam operacja
    restaurant: restauracja kawiarnia knajpa
    shop: sklep supermarket targ piekarnia
    teacher: nauczyciel nauczycielka trener trenerka profesor
    newspaper: gazeta prenumerata prenumeruję czasopismo subskrypcja
    save: oszczędzam oszczędności
    religion: religia wiara kościół > katolik protestant muzułmanin żyd buddysta
    license: prawo jazdy paszport dowód
    blood: grupa krwi
    weight: waga ważę kilogramów
    goal: cel plan chcę planuję
    leader: kieruję prowadzi odpowiedzialny
    profession: zawód zawodowo praca pracuję pracuje zajmuję zarabiam utrzymanie > pielęgniarka pielęgniarz lekarka nauczyciel nauczycielka inżynier stolarz kucharz kucharka piekarz prawnik prawniczka adwokat księgowy księgowa programista programistka architekt architektka grafik graficzka dziennikarz dziennikarka sprzedawczyni położna logopeda fizjoterapeutka weterynarz farmaceuta farmaceutka elektryk ogrodnik fotograf policjant fryzjerka bibliotekarz bibliotekarka badacz tłumacz tłumaczka księgarz urzędniczka freelancer konserwator konserwatorka leśnik
    tax: podatki podatek pit księgowa rozliczenie
    notes: notatki notatnik zeszyt > obsidian notion
    backup: kopia zapasowa kopie dysk nas
    nickname: przezwisko ksywa nazywają
    shift: zmiana zmiany dyżur grafik nocna
    snack: przekąska słodycze podjadam > czekolada chipsy ciastka
    dessert: deser ciasto słodkie > tiramisu lody sernik szarlotka
    podcast: podcast słucham
    donate: wspieram darowizna fundacja
    team: drużyna kibic kibicuję klub
    together: współlokator współlokatorka mieszkam
    thesis: praca magisterska doktorat rozprawa licencjacka
    injury: kontuzja kolano plecy bark złamanie złamałem złamałam operacja
    train: pociąg dworzec pkp
    delivery: paczka dostawa zamówienie
    answer: odpowiedź odpowiedzi odpowiadaj krótko zwięźle`,
});
