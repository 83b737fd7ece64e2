import { pattern, type SearchWords } from './language.ts';

export const dutchWords = (): SearchWords => ({
  framing: `waar waarheen wanneer wie wat hoe waarom welk welke waarmee waarvan waarvoor hoeveel hoelang vaak eigenlijk nog ook alweer zeg
    zeggen gezegd verteld vertel genoemd herinner weet weten kun kan kunt graag precies nu momenteel huidige tegenwoordig heet heten
    heette naam namen noem noemt doe doet doen gedaan heb hebt heeft hebben had ben bent is zijn was moet moeten mag wil zou soort laatst
    echt eigen enige iets liefst meestal veel vind`,
  common: `dag dagen week weken maand jaar uur minuut tijd keer morgen ochtend avond nacht middag goed nieuw nieuwe oud groot grote klein
    kleine eerste laatste volgende ga gaat gaan kom komt komen neem neemt gebruik gebruikt gebruiken nodig blijf blijft sta staat ligt zit
    vindt altijd nooit elke elk alle twee drie een man vrouw mensen persoon ding deel kant plek plaats nummer begin vroeg laat beter
    belangrijk samen beide zet breng krijg krijgt krijgen ongeveer`,
  asks: {
    place: pattern(String.raw`\b(?:waar(?:heen)?|welke? (?:stad|straat|adres|land|plaats|wijk))\b`),
    time: pattern(String.raw`\b(?:wanneer|hoe laat|sinds wanneer|welke? (?:dag|datum|maand|jaar))\b`),
    number: pattern(String.raw`\b(?:hoeveel|hoe (?:oud|lang|vaak|groot|ver|duur|hoog)|welk nummer)\b`),
    name: pattern(String.raw`\b(?:wie|hoe heet(?:te|en)?|heten|namen|naam)\b`),
  },
  past: pattern(
    String.raw`\b(?:vroeger|eerder|voorheen|destijds|oorspronkelijk|eerst|vorige|voormalige?|woonde|werkte)\b`,
  ),
  endings: /(?<=.{3})t$/,
  compounds: true,
  meanings: `
    live: woon woont wonen leef leven thuis adres woonplaats woonachtig verhuisd verhuizen verhuizing verhuis gevestigd
    flat: appartement huis woning flat studio
    work: werk werkt werken baan beroep werkgever bedrijf functie werkzaam dienst gewerkt firma verdien
    boss: baas chef leidinggevende manager teamleider directeur
    colleague: collega collega's collegas
    study: studeer studeert studie universiteit opleiding hogeschool master bachelor diploma
    school: school leerling klas crèche kinderopvang basisschool middelbare
    partner: partner man vrouw echtgenoot echtgenote vriend vriendin getrouwd verloofd verloofde
    child: kind kinderen kids > zoon dochter zoons dochters baby tweeling
    mother: moeder mama ma
    father: vader papa pa
    parents: ouders > moeder vader
    sibling: broers zussen > zus broer zusje broertje
    grandmother: oma grootmoeder
    grandfather: opa grootvader
    family: familie gezin > moeder vader zus broer zoon dochter tante oom
    pet: huisdier huisdieren dier dieren > hond kat poes kater hamster konijn papegaai vogel vis schildpad paard cavia
    dog: hond puppy teef > labrador teckel poedel herder
    cat: kat poes kater kitten
    birthday: verjaardag geboren jarig geboortedatum
    age: leeftijd jaar oud
    phone: telefoon mobiel gsm telefoonnummer smartphone nummer > iphone pixel galaxy
    mail: mail email e-mail mailadres
    car: auto wagen voertuig rijd rijdt rijden rij > volvo tesla golf toyota skoda peugeot fiat renault
    bike: fiets > racefiets bakfiets mountainbike
    commute: reis pendel forens > trein bus tram fiets metro
    like: lievelings favoriet favoriete lekker leuk houd hou dol voorkeur lievelingseten lievelingskleur
    hate: haat hekel vreselijk
    eat: eet eten gegeten maaltijd gerecht avondeten lunch lievelingseten > pizza pasta soep salade curry sushi stamppot pannenkoeken
    drink: drink drinken drinkt drankje > koffie thee bier wijn water sap
    breakfast: ontbijt ontbijten > muesli havermout yoghurt boterham
    allergy: allergie allergisch verdraag intolerant intolerantie allergieën
    diet: vegetariër vegetarisch veganist veganistisch dieet vlees eet
    doctor: dokter arts huisarts > tandarts cardioloog dermatoloog kinderarts oogarts
    dentist: tandarts
    medicine: medicijn medicijnen pil pillen tablet tabletten medicatie inhalator
    illness: ziekte ziek aandoening diagnose lijd > diabetes astma migraine reuma
    sport: sport sporten train training sportschool fitness > loop hardlopen zwem zwemmen voetbal tennis klimmen yoga volleybal hockey boksen roeien wandelen wielrennen
    run: hardlopen loop ren rennen marathon
    hobby: hobby hobby's hobbies vrije > schilder schilderen fotografie pottenbakken breien verzamel tuinieren schaken klimmen wandelen dans
    instrument: instrument bespeel > piano gitaar viool cello fluit drum trompet saxofoon accordeon
    music: muziek band lied zanger luister concert
    read: lees lezen gelezen boek boeken roman schrijver auteur
    film: film films serie series bioscoop kijk
    game: spel spelletjes game gamen bordspel
    language: taal talen spreek spreekt spreken moedertaal leer > nederlands engels frans duits spaans italiaans portugees pools russisch chinees japans
    travel: vakantie reis reizen gereisd vlucht vlieg vliegen bestemming
    money: salaris loon verdien inkomen verdienen
    price: kost kosten prijs betaal betalen euro huur bijdrage tarief
    bank: bank rekening
    insurance: verzekering verzekerd zorgverzekering polis verzekeraar
    rent: huur huurcontract huurbaas verhuurder
    meeting: vergadering overleg meeting afspraak bespreking standup
    deadline: deadline inleveren uiterlijk termijn
    begin: begint beginnen start starten
    end: eindigt einde stopt afgelopen
    open: open opent openingstijden geopend sluit
    wake: opstaan opsta wekker wakker
    sleep: slaap slapen slaapt bed
    wedding: bruiloft getrouwd trouwen trouwdag trouw huwelijk
    buy: gekocht koop kopen aangeschaft kocht
    gift: cadeau geschenk gekregen
    clothes: kleding kleren > schoenen broek hemd jas jurk
    size: maat lengte lang schoenmaat cm
    color: kleur lievelingskleur > rood blauw groen geel turquoise zwart wit paars oranje
    computer: computer laptop pc > macbook thinkpad
    editor: editor ide > vim neovim emacs vscode
    system: besturingssysteem > linux ubuntu windows macos debian
    programming: programmeertaal programmeer code ontwikkel > python rust typescript java go kotlin javascript
    database: database databank > postgresql postgres mysql sqlite mariadb
    server: server hosting gehost > hetzner aws azure
    password: wachtwoord code pincode
    wifi: wifi internet router
    project: project
    customer: klant klanten opdrachtgever
    weekday: dag > maandag dinsdag woensdag donderdag vrijdag zaterdag zondag
    garden: tuin moestuin balkon planten volkstuin > tomaten rozen
    meat: vlees > kip rund varken
    alcohol: alcohol > bier wijn
    fruit: fruit > appel aardbei banaan kiwi
    city: stad woonplaats
    country: land afkomst
    grow: opgegroeid jeugd geboren afkomst afkomstig
    club: club vereniging koor lid
    volunteer: vrijwilliger vrijwilligerswerk
    course: cursus les lessen leer
    glasses: bril lenzen contactlenzen
    fear: bang angst fobie vrees
    smoke: rook roken sigaretten
    hairdresser: kapper kapster
    therapist: therapeut fysiotherapeut psycholoog fysio therapie
    repair: garage reparatie monteur werkplaats
    key: sleutel sleutels reservesleutel
    office: kantoor thuiswerken werkplek
    parking: parkeerplaats garage parkeer
    cook: kook koken recept
    collect: verzamel verzamelen verzameling
    neighbor: buurman buurvrouw buren
    sick: ziek ziekte blessure gebroken geopereerd operatie
    restaurant: restaurant café kroeg
    shop: winkel supermarkt markt bakker
    teacher: leraar lerares juf docent trainer coach
    newspaper: krant abonnement geabonneerd tijdschrift
    save: spaar sparen spaargeld
    religion: geloof religie kerk gelovig > katholiek protestant moslim joods boeddhist
    license: rijbewijs paspoort identiteitskaart
    blood: bloedgroep
    weight: gewicht weeg kilo
    goal: doel plan
    leader: leid leidt verantwoordelijk
    profession: beroep werk werkt baan kost brood verdien > verpleegkundige verpleger arts leraar lerares juf ingenieur timmerman kok bakker advocaat boekhouder programmeur ontwikkelaar architect ontwerper vormgever journalist verkoper verkoopster verloskundige logopedist fysiotherapeut dierenarts apotheker elektricien hovenier fotograaf agent kapster bibliothecaris bibliothecaresse onderzoeker vertaler vertaalster ambtenaar zzp zelfstandig restaurateur boswachter conducteur machinist
    tax: belasting belastingaangifte belastingdienst boekhouder aangifte
    notes: notities aantekeningen notitieboek > obsidian notion
    backup: back-up backup reservekopie schijf nas
    nickname: bijnaam koosnaam roepnaam
    shift: dienst diensten rooster nachtdienst ploeg
    snack: snack snoep snoepen tussendoortje > chocola chips koekjes drop
    dessert: toetje nagerecht taart > tiramisu ijs
    podcast: podcast luister
    donate: doneer donatie goede steun
    team: ploeg team fan supporter elftal club
    together: huisgenoot huisgenoten samenwonen
    thesis: scriptie proefschrift promotie afstuderen
    injury: blessure knie rug schouder gebroken geopereerd
    train: trein station ns
    delivery: pakket bezorging bestelling
    answer: antwoord antwoorden kort bondig tutoyeer`,
});
