import { pattern, type SearchWords } from './language.ts';

export const germanWords = (): SearchWords => ({
  framing: `wo woher wohin wann wer wem wen wessen was wie warum wieso weshalb welcher welches welchem welchen wofür womit worauf
    woran wovon wozu worin viel viele vielen lange oft eigentlich nochmal noch sag sage sagen gesagt erzähl erzählt erwähnt erinnere
    erinnern erinnerst weißt weiß kennst kannst könntest bitte genau eigentlich derzeit aktuell momentan momentane aktuelle
    aktueller jetzige jetziger heißt heiße heißen name namen nennt genannt gibt gab mache macht machen mach tue tut tun getan
    hatte hatten habe hast gehabt bekomme wurde geworden soll sollst sollte muss müssen darf kann will möchte eigene eigenen
    irgendeine irgendein überhaupt ungefähr etwa ganz art sorte zuletzt gerne gern besonders davon dafür damit daran gleich`,
  common: `tag tage tags woche monat jahr stunde minute uhr zeit mal morgen abend nacht mittag gut neu neue alt groß klein erste letzte
    nächste gehe geht gehen komme kommt kommen nehme nimmt nutze nutzt benutze verwende brauche braucht bleibe steht stehe liegt sitze
    finde findet immer nie jeden jede alle zwei drei eins meist meistens normalerweise mann frau leute person ding sache teil seite
    ort platz nummer anfang früh spät lieber richtig wichtig gemeinsam zusammen beide stelle halte hält bringe lasse lässt stark
    gesamt insgesamt eigen eigene bestimmt sicher weiter weitere bekommen bekam gemacht verwendet benutzt nutzen`,
  asks: {
    place: pattern(String.raw`\b(?:wo|woher|wohin|welche[rmns]? (?:stadt|ort|land|straße|adresse))\b`),
    time: pattern(
      String.raw`\b(?:wann|um wie viel uhr|wie spät|seit wann|welche[rmns]? (?:tag|monat|jahr|datum|uhrzeit))\b`,
    ),
    number: pattern(String.raw`\b(?:wie ?viele?|wie (?:alt|lange|oft|groß|hoch|weit|teuer|schwer)|welche nummer)\b`),
    name: pattern(String.raw`\b(?:wer|wem|wen|wessen|wie heiß(?:t|en|e)|namen?)\b`),
  },
  past: pattern(
    String.raw`\b(?:früher|damals|vorher|zuvor|ursprünglich|anfangs|zuerst|ehemalige?[rns]?|vorige[rns]?|davor|vergangen\p{L}*|wohnte|arbeitete)\b`,
  ),
  endings: /(?:(?<=.{4})(?:e?st|e?t)|(?<=.{3}[^aeiou])e)$/,
  compounds: true,
  meanings: `
    live: wohne wohnen wohnt lebe leben lebt zuhause daheim wohnort adresse anschrift umgezogen umzug umziehen gezogen ziehe wohnhaft
    flat: wohnung haus apartment wg
    work: arbeite arbeiten arbeitet arbeit job beruf beruflich arbeitgeber firma tätig angestellt beschäftigt stelle verdiene gearbeitet arbeitsplatz lebensunterhalt
    boss: chef chefin vorgesetzte vorgesetzter teamleiter teamleiterin abteilungsleiter leiterin
    colleague: kollege kollegin kollegen mitarbeiter
    study: studiere studiert studium uni universität studiengang hochschule bachelor master abschluss fach
    school: schule schüler gymnasium klasse kita kindergarten
    partner: partner partnerin freund freundin mann frau ehemann ehefrau gatte verheiratet verlobte verlobter verlobt lebensgefährtin
    child: kind kinder nachwuchs > sohn tochter söhne töchter baby zwillinge
    mother: mutter mama mutti
    father: vater papa
    parents: eltern > mutter vater
    sibling: geschwister > schwester bruder
    grandmother: oma großmutter
    grandfather: opa großvater
    family: familie verwandte > mutter vater schwester bruder sohn tochter tante onkel
    pet: haustier tier tiere > hund hündin katze kater hamster kaninchen meerschweinchen vogel wellensittich papagei fisch schildkröte pferd
    dog: hund hündin welpe > labrador dackel pudel schäferhund terrier
    cat: katze kater kätzchen
    birthday: geburtstag geboren geburtsdatum geburtstags
    age: alter jahre jährig lebensjahr
    phone: handy telefon smartphone telefonnummer handynummer rufnummer mobiltelefon > iphone pixel galaxy
    mail: email mail e-mail mailadresse
    car: auto wagen fahrzeug pkw fahre fährt > golf passat tesla volvo skoda bmw audi mercedes toyota fiat kombi opel
    bike: fahrrad rad radl e-bike > rennrad lastenrad mountainbike radeln
    commute: pendle pendeln arbeitsweg fahre > zug bus straßenbahn fahrrad s-bahn u-bahn
    like: mag liebe mögen gefällt lieblings schwärme bevorzuge favorit lieblingsessen lieblingsfarbe
    hate: hasse nervt verabscheue unausstehlich leiden
    eat: esse essen isst gegessen mahlzeit gericht speise speisen mittagessen abendessen kost ernähre ernährung lieblingsessen > pizza pasta suppe salat curry sushi knödel kuchen
    drink: trinke trinken trinkt getrunken getränk > kaffee tee bier wein wasser saft espresso
    breakfast: frühstück frühstücke morgens > müsli porridge haferflocken
    allergy: allergie allergisch vertrage unverträglichkeit intolerant intoleranz allergien
    diet: vegetarier vegetarisch vegetarierin vegan veganer veganerin ernähre ernährung fleisch
    doctor: arzt ärztin hausarzt hausärztin doktor praxis > zahnarzt zahnärztin orthopäde hautarzt kardiologin augenarzt kinderarzt
    dentist: zahnarzt zahnärztin
    medicine: medikament medikamente tablette tabletten arznei pille medizin mittel spray einnehmen
    illness: krankheit krank erkrankung diagnose leide beschwerden > diabetes asthma migräne rheuma bluthochdruck
    sport: sport trainiere training sportlich sportart fitness fitnessstudio > laufe joggen schwimme schwimmen fußball tennis klettern klettere yoga volleyball handball boxen rudern wandern radfahren
    run: laufe laufen jogge joggen marathon lauf
    hobby: hobby hobbys freizeit freizeitbeschäftigung > male malen fotografiere töpfern stricken sammle gärtnern basteln schach klettern wandere tanze
    instrument: instrument musikinstrument musiziere > klavier gitarre geige cello flöte schlagzeug trompete saxophon akkordeon
    music: musik band lied sänger höre musikrichtung konzert
    read: lese lesen gelesen buch bücher roman autor autorin lektüre
    film: film filme serie serien kino schaue streaming
    game: spiel spiele videospiel brettspiel zocke
    language: sprache sprachen spreche spricht sprechen muttersprache lerne > deutsch englisch französisch spanisch italienisch portugiesisch polnisch russisch chinesisch japanisch türkisch
    travel: urlaub reise reisen ferien verreise gereist flug fliege fliegen fahren reiseziel
    money: gehalt lohn verdiene verdienst einkommen verdient
    price: kostet kosten preis bezahle bezahlen zahle zahlen euro miete beitrag gebühr teuer betrag
    bank: bank konto girokonto sparkasse
    insurance: versicherung versichert krankenkasse police
    rent: miete kaltmiete warmmiete mietvertrag vermieter vermieterin
    meeting: besprechung meeting treffen termin standup sitzung jour
    deadline: frist abgabe fällig abgabetermin deadline abgeben
    begin: beginnt beginne beginnen anfangen fängt start startet startet los
    end: endet ende schluss aufhören vorbei
    open: öffnet geöffnet offen öffnungszeiten schließt
    wake: aufstehe stehe aufstehen wecker aufwache wache
    sleep: schlafe schlafen schläft schlaf bett
    wedding: hochzeit geheiratet heirate heiraten hochzeitstag verheiratet trauung
    buy: gekauft kaufe kaufen einkaufen besorgt kauf
    gift: geschenk schenke geschenkt schenken
    clothes: kleidung kleidergröße > schuhe hose hemd jacke kleid
    size: größe groß schuhgröße körpergröße zentimeter cm
    color: farbe lieblingsfarbe > rot blau grün gelb türkis schwarz weiß lila orange violett
    computer: computer rechner laptop notebook pc > macbook thinkpad
    editor: editor entwicklungsumgebung ide > vim neovim emacs vscode code
    system: betriebssystem > linux ubuntu windows macos debian fedora arch
    programming: programmiersprache programmiere code entwickle programmieren > python rust typescript java go kotlin javascript
    database: datenbank > postgresql postgres mysql sqlite mariadb mongodb
    server: server hosting hoste gehostet > hetzner aws azure
    password: passwort kennwort code pin zugang
    wifi: wlan wifi internet router
    project: projekt vorhaben
    customer: kunde kundin kunden auftraggeber
    weekday: wochentag tag > montag dienstag mittwoch donnerstag freitag samstag sonntag montags dienstags mittwochs donnerstags freitags samstags sonntags
    garden: garten pflanzen pflanze balkon beet schrebergarten > tomaten rosen kräuter
    meat: fleisch > huhn rind schwein wurst
    alcohol: alkohol > bier wein schnaps gin
    fruit: obst frucht > apfel erdbeeren banane kiwi
    city: stadt ort heimatstadt
    country: land heimat heimatland herkunft stamme komme aufgewachsen
    grow: aufgewachsen kindheit herkunft stamme geboren
    club: verein chor mitglied ehrenamt ehrenamtlich verband
    volunteer: ehrenamt ehrenamtlich freiwillig engagiere
    course: kurs unterricht lehrgang weiterbildung lerne seminar
    glasses: brille kontaktlinsen sehstärke dioptrien
    fear: angst fürchte furcht phobie
    smoke: rauche rauchen raucher zigaretten
    hairdresser: friseur friseurin frisör
    therapist: therapeut therapeutin physiotherapie psychologin therapie
    repair: werkstatt reparatur repariert mechaniker kaputt
    key: schlüssel ersatzschlüssel
    office: büro homeoffice arbeitsplatz schreibtisch
    parking: parkplatz stellplatz garage parke
    cook: koche kochen kocht rezept
    collect: sammle sammeln sammlung
    neighbor: nachbar nachbarin nachbarn
    plant: pflanze pflanzen zimmerpflanze
    date: datum termin tag
    move: umzug umgezogen verlegt verschoben
    sick: krank krankheit verletzt verletzung gebrochen operiert operation
    restaurant: restaurant lokal gasthaus wirtshaus stammlokal café
    shop: laden geschäft supermarkt markt bäckerei
    teacher: lehrer lehrerin trainer trainerin dozent
    newspaper: zeitung abo abonniert magazin abonnement
    save: spare sparen ersparnisse sparziel
    religion: religion glaube kirche gläubig > katholisch evangelisch muslimisch buddhistisch jüdisch
    shave: bart rasiere
    license: führerschein reisepass ausweis personalausweis pass
    blood: blutgruppe
    weight: gewicht wiege kilo
    weather: wetter
    goal: ziel vorsatz plane plan vorhabe vorhaben
    leader: leite leitet führt verantwortlich zuständig
    profession: beruf beruflich arbeite arbeit job arbeitest verdiene lebensunterhalt tätig > lehrer lehrerin krankenschwester pfleger ärztin arzt ingenieur ingenieurin tischler tischlerin schreiner köchin koch bäcker bäckerin anwalt anwältin buchhalter buchhalterin entwickler entwicklerin programmierer architekt architektin grafiker grafikerin designerin journalist journalistin verkäufer verkäuferin hebamme logopädin physiotherapeut tierarzt tierärztin apotheker apothekerin elektriker gärtner gärtnerin fotograf fotografin polizist friseurin bibliothekar bibliothekarin forscher forscherin übersetzer übersetzerin redakteurin beamter selbstständig freiberuflich restaurator restauratorin förster lokführer
    tax: steuer steuern steuererklärung finanzamt steuerberater steuerberaterin buchhaltung
    notes: notizen notiz notizbuch aufzeichnungen > obsidian notion onenote
    backup: sicherung backup sichern datensicherung festplatte nas
    nickname: spitzname genannt rufname kosename
    shift: schicht dienst nachtschicht frühschicht spätschicht arbeitszeit arbeitszeiten
    snack: snack süßigkeit nasche naschen > schokolade chips gummibärchen kekse
    dessert: nachtisch dessert süßspeise kuchen torte > tiramisu eis apfelstrudel
    podcast: podcast höre hörbuch
    donate: spende spenden verein unterstütze
    team: mannschaft team fan anhänger lieblingsverein
    together: wohne mitbewohner mitbewohnerin wg zusammen
    thesis: abschlussarbeit bachelorarbeit masterarbeit dissertation doktorarbeit promotion
    injury: verletzung verletzt knie rücken schulter bandscheibe bruch gebrochen operation operiert
    born: geboren geburtsort herkunft stamme aufgewachsen
    train: zug bahn bahncard zugfahrt
    heat: heizung heize wärmepumpe pelletofen
    delivery: paket lieferung bestellung bestellt
    answer: antwort antworten antworte ausführlich kurz knapp stil duzen siezen`,
});
