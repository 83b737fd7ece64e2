import type { AttributeWords } from './language.ts';
import { setOf } from './language.ts';

export const englishAttributes: AttributeWords = {
  groups: `
  live: live lives living address neighborhood our-home my-home home-in based rent > house flat apartment moved-to moved-into moved-in moved-back moved-out relocated settled unpacked rent landlord keys tenancy mortgage studio bungalow cottage maisonette
  job: job job-title title occupation employer profession career work-for work-as living-do do-for-work > engineer developer manager-of director consultant freelance freelancing self-employed teacher nurse analyst designer architect accountant lecturer apprentice joined hired promoted work working company
  boss: boss manager line-manager supervisor report-to reports-to in-charge head > signs-off one-to-one appraisal
  school: school nursery kindergarten kita preschool childcare weekdays > reception primary secondary academy childminder daycare year-one sixth-form
  phone: phone mobile smartphone handset > iphone pixel fairphone galaxy samsung nokia motorola oneplus xiaomi xperia android huawei nothing-phone
  number: phone-number mobile-number extension dial > sim
  computer: laptop computer machine desktop workstation notebook-computer > macbook thinkpad xps framework dell lenovo imac surface chromebook zenbook hp system76 mac-mini
  tablet: tablet e-reader ereader > ipad kindle kobo remarkable
  editor: editor ide code-in write-code > vim neovim emacs helix vscode vs-code zed sublime intellij webstorm pycharm rider cursor jetbrains
  car: car drive vehicle > volvo skoda toyota honda ford fiat renault peugeot citroen bmw audi tesla kia hyundai dacia volkswagen vw polo golf octavia clio yaris berlingo kangoo nissan leaf mazda estate hatchback electric-car mini mercedes opel vauxhall corsa subaru car-share car-club car-sharing zoe passat van
  bike: bike bicycle ebike e-bike cargo-bike ride > brompton gravel-bike cargo trek cube canyon
  commute: commute get-to-work way-to-work travel-to-work to-work > train bus tram ferry cycle bike walk carpool lift tube
  breakfast: breakfast first-thing morning-eat > porridge muesli granola cereal toast eggs yogurt oatmeal oats croissant smoothie kiwi
  coffee: coffee tea drink-in-the caffeine morning-drink > espresso latte cappuccino flat-white decaf matcha aeropress moka chicory filter cortado oolong rooibos
  diet: diet vegetarian vegan eat-meat meat diet-like > pescatarian gluten-free dairy keto fasting
  doctor: doctor gp physician surgery > practice dr
  dentist: dentist > dental hygienist
  therapist: therapist physio physiotherapist counsellor counselor osteopath chiropractor
  vet: vet veterinarian > veterinary
  hairdresser: hairdresser barber haircut hair-cut cuts-my-hair > salon
  pharmacy: pharmacy chemist prescription
  medicine: medicine medication tablets pills dose dosage painkiller inhaler blood-thinner antihistamine blood-pressure > mg statin ibuprofen paracetamol levothyroxine cetirizine loratadine fexofenadine metformin ramipril insulin apixaban warfarin antibiotics prescribed
  glasses: glasses contact-lenses lenses spectacles > varifocals dioptres bifocals optician
  teacher: teacher teaches tutor instructor lessons coach trainer > lesson taken-me-on took-me-on
  instrument: instrument > cello piano violin guitar flute clarinet trumpet drums banjo accordion ukulele saxophone
  choir: choir sing rehearsal orchestra rehearse > rehearsals conductor
  sport: sport exercise gym workout > swimming running climbing bouldering pilates yoga squash tennis badminton judo karate rowing crossfit membership football
  lead: leader captain chair treasurer secretary coordinator in-charge who-runs who-leads > leads took-over takes-over taken-over elected handed-over appointed
  partner: partner girlfriend boyfriend husband wife spouse dating relationship > engaged married divorced separated split broke-up
  pet: pet pets dog cat > puppy kitten rabbit hamster greyhound
  bank: bank account current-account banking > monzo starling revolut barclays hsbc natwest santander lloyds nationwide ing n26 sparkasse wise credit-union savings-account
  insurance: insurance insurer insured policy > premium aviva axa allianz
  energy: electricity energy power-supplier gas supplier-of > tariff octopus edf kilowatt
  internet: internet broadband provider isp wifi fibre router-provider > starlink fiber vodafone
  plan: phone-contract mobile-plan carrier network > giffgaff o2 vodafone lebara sim-only
  password: password passwords credentials logins vault > bitwarden 1password keepass keepassxc vaultwarden lastpass dashlane proton-pass passkeys
  notes: notes note-taking take-notes jot > obsidian notion onenote evernote logseq joplin bear zettelkasten notebook paper apple-notes
  tasks: todo to-do tasks task-list to-dos todos > todoist things taskwarrior ticktick trello
  calendar: calendar appointments > fantastical
  mail: mail email e-mail inbox > fastmail gmail proton protonmail thunderbird outlook posteo tuta mailbox
  browser: browser browse > firefox chrome safari vivaldi brave arc edge chromium librewolf
  search: search-engine > duckduckgo kagi google ecosia
  music: music stream-music listen-to-music > spotify tidal qobuz deezer bandcamp
  streaming: streaming tv series-on watch > netflix disney mubi hbo prime
  cloud: photos photo-storage > icloud immich nextcloud dropbox google-photos
  backup: backup backups back-up backed-up > restic borg duplicati time-machine backblaze rsync kopia nas b2 synology
  system: operating-system os distro linux > ubuntu debian fedora arch nixos mint macos windows endeavouros pop suse
  shell: shell terminal prompt terminal-emulator > zsh fish bash nushell starship kitty alacritty wezterm ghostty iterm tmux zellij
  keyboard: keyboard layout > ergodox kinesis moonlander keychron colemak dvorak qwerty neo
  code: version-control git-host code-hosted repository repo repos > github gitlab gitea forgejo codeberg bitbucket sourcehut
  pipeline: ci pipeline pipelines build-server builds > jenkins buildkite circleci github-actions drone woodpecker travis teamcity runner runners actions
  hosting: hosted host hosting deployed deploy deploys server servers runs-on > netlify vercel hetzner fly heroku render railway aws ec2 digitalocean vps cloudflare-pages kubernetes nomad raspberry ovh fargate cloud-run scaleway linode
  database: database db datastore storage stores > postgres postgresql sqlite mysql mariadb duckdb mongodb clickhouse cassandra dynamodb redis cockroachdb
  queue: queue message-queue broker > rabbitmq kafka sqs nats sidekiq redis pulsar
  cache: cache caching > redis memcached valkey
  monitoring: monitoring metrics dashboards alerts observability error-tracking > logs prometheus grafana datadog sentry honeycomb loki new-relic bugsnag glitchtip
  tests: test-runner tests testing run-tests > jest vitest mocha pytest playwright cypress selenium
  packages: package-manager dependencies install-packages install > npm pnpm yarn bun pip poetry uv cargo lockfile
  bundler: bundler bundle > webpack vite esbuild rollup parcel turbopack
  formatter: formatter linter format-code lint > prettier biome eslint black ruff
  framework: framework frontend front-end ui-library > react vue svelte solid angular htmx ember next nuxt
  language: programming-language language-written written-in backend > python rust go golang typescript kotlin java ruby elixir scala
  chat: team-chat messenger messaging-app chat-in chat-app talk-to-each-other > slack teams discord matrix mattermost zulip signal whatsapp telegram element
  meetings: video-calls calls-on > zoom meet jitsi teams whereby
  tracker: issue-tracker tickets tracker board > jira linear trello github-issues shortcut youtrack asana
  auth: auth authentication sign-in login > auth0 keycloak cognito okta clerk passkeys
  payments: payments payment-provider checkout > stripe adyen paypal mollie braintree
  on-call: on-call pager-duty > pager rota on-duty pagerduty opsgenie
  shift: shift shifts working-hours working-pattern > night-shift early-shift late-shift nights part-time full-time four-day
  standup: standup stand-up daily-standup
  retro: retro retrospective
  club: book-club reading-group
  wake: wake get-up alarm wakes > alarm
  sleep: bedtime go-to-bed sleep > lights-out
  shop: groceries shopping supermarket grocery-shop > aldi lidl tesco rewe edeka sainsbury waitrose co-op asda
  bread: bread baker > bakery sourdough
  delivery: veg-box vegetable-box box-scheme vegetables > csa
  newspaper: newspaper magazine paper subscribe > guardian subscription economist
  cleaner: cleaner cleaning cleans > cleaning
  sitter: babysitter babysits sitter nanny au-pair minds looks-after > childminder
  tax: tax-return accountant taxes bookkeeping books > bookkeeper
  lawyer: lawyer solicitor notary
  plumber: plumber electrician handyman boiler-engineer
  garage: garage mechanic mot service-the
  parking: parking park > permit bay garage
  heating: heating heat boiler > heat-pump radiator stove pellet
  holiday: holiday vacation > cottage
  perfume: perfume scent
  shoes: shoes running-shoes boots trainers > brooks asics hoka altra saucony salomon
  camera: camera > fujifilm nikon canon leica sony lumix
  printer: printer print > brother epson
  headphones: headphones headset earbuds > bose airpods sennheiser
  watch: watch smartwatch wristwatch > garmin apple-watch casio`,
  people: setOf(
    'boss doctor dentist therapist vet hairdresser teacher lead partner cleaner sitter tax lawyer plumber garage',
  ),
  changes:
    /\b(?:new|now|no more|no longer|instead|since|these days|from (?:now|this|next|today|\w+day|january|february|march|april|may|june|july|august|september|october|november|december)|onwards|for good|(?:is|are) ours|(?:is|are|was) off|went back|goes back|back (?:to|on)|(?:start|end|finish|open|join|enlarg|widen|shrunk|smash|uninstall|install|bin|ditch|switch|mov|migrat|port|chang|swapp|replac|drop|convert|retir|upgrad|downgrad|transferr|cancel|cancell|relocat|rehom|rewritt?|settl|adopt|pick|pass|trad|shift)(?:e?n|ed)|(?:bought|sold|got|gave|given|took|taken|left|quit|broke|died|won|lost|began|become|became|put|cut|signed|chose|went) (?:me |us |a |an |the |my |our |up|over|out|on|off|for|to|vegan|down|in )|(?:it|that|which)['’]s (?:a|an|the|\p{Lu})|comes? round|by now|at last|finally|meanwhile|anymore|any (?:more|longer)|turned out|instead of)/iu,
  new: setOf('new switched changed swapped'),
  states: {
    live: /\b(?:mov(?:e|ed|ing)|relocat\w+|settled|unpacked|keys|tenancy|mortgage|landlord|(?:is|are) ours|lives?|living|rent(?:ing|ed)?|bought|new (?:address|flat|house|home|place|apartment))\b(?!.*\b(?:database|server|office|meeting|standup|team|boat|vault|blog|data)\b)/i,
    job: /\b(?:I['’]m|I am|made me|promoted|joined|hired|started|new (?:job|role|title)|freelance|self-employed|(?:left|quit) (?:my|the) job)\b/i,
  },
  verbs: setOf('eat drink drive ride take spend use wear pay write live store stored buy sing play'),
  persons: /\b(?:he|she|him|her|his|hers|they|their|them)\b/i,
  numbers:
    /\d|\b(?:once|twice|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|noon|midnight|half|\w+days?)\b/i,
};
