import test from 'ava'
import { typeOfNote } from '../../../../../../src/daemon/ground/reading/layout/note-type.js'
import { readText } from '../../../../../helpers/rule-reading.js'

const forms: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'examples, guesses and choices of one person': {
    'Someone suggested that we move from npm to Bun': [],
    'Imagine the service depends on Kafka': [],
    'It seems that the worker uses SQLite': [],
    'Either Kafka or NATS will replace RabbitMQ': [],
    'The example in the README uses MongoDB': [],
    'Posts are stored in Postgres': ['Posts stored in Postgres'],
    'Our guess is Redis': [],
    'Jo runs Linux instead of macOS': ['Jo uses Linux'],
    'We run Bun instead of Node': ['Node replaced by Bun', 'shop uses Bun'],
    'We no longer need Postgres in the tests': [],
    'We stop using Slack after 6 pm': [],
    'Lisa looks after her mother': [],
    'Customers like Acme need SAML': [],
    'Customers like dark mode': ['shop dark mode = Customers like dark mode'],
    'The node takes the place of its parent when the parent dies': [],
  },
  'words typed in haste': {
    'dont commit generated files': ['shop commit generated files = dont commit generated files'],
    'please dont squash the release branch': [
      'shop squash the release branch = please dont squash the release branch',
    ],
    'the scanner OOMs when a file is larger than 3 GB': [
      'shop scanner OOMs = the scanner OOMs when a file is larger than 3 GB',
    ],
    'Went with Traefik instead of HAProxy: fewer files': [
      'shop uses Traefik',
      'shop Traefik instead of HAProxy = Went with Traefik instead of HAProxy: fewer files',
    ],
    'Standup 4 May: we keep Terraform': ['shop uses Terraform'],
    'we keep Terraform in infra/': ['Terraform stored in = infra/'],
    'We lint with Biome 2.1': ['shop uses Biome', 'shop Biome version = 2.1'],
    'We struggle with Jenkins': [],
    'the importer is now a Rust 1.80 binary': ['importer written in Rust', 'importer Rust version = 1.80'],
    'coordinates are always integers in millimetres': [
      'shop coordinates integers in millimetres = coordinates are always integers in millimetres',
    ],
    'Since 1 May the blog is hosted by Netlify, not by us': ['blog hosted on Netlify from 2026-05-01'],
    'Contact for the scales is Björn from Logistics (b@acme.example)': [
      'Björn email = b@acme.example',
      'scales contact = Björn',
      'Björn contact for scales',
    ],
    'Firmware is mostly Sanna and Oleh': [
      'Firmware responsible = Sanna and Oleh',
      'Sanna responsible for Firmware',
      'Oleh responsible for Firmware',
    ],
    'The winner is Ann': [],
    'The tariff service (Elixir, Redis 7) owns the price tables': [
      'tariff service written in Elixir',
      'tariff service uses Redis',
      'tariff service Redis version = 7',
    ],
    'The device token is valid for 30 minutes, the refresh token for 14 days': [
      'device token valid for = 30 minutes',
      'refresh token valid for = 14 days',
    ],
    'We send crashes to Sentry and metrics to Grafana': ['shop uses Sentry', 'shop uses Grafana'],
    'We send letters to Germany': [],
    'Chloe covers the ingest': ['ingest responsible = Chloe', 'Chloe responsible for ingest'],
    'Maestro covers the login flow': ['shop login flow = Maestro', 'shop uses Maestro'],
    'The lease with Acme ends on 31.12.2026': ['shop lease with Acme ends = 2026-12-31'],
    'The sprint ends on Friday': [],
    'Offline mode is postponed to 3.0': ['Offline mode status = postponed to 3.0'],
    'We cut the fishing game': ['fishing game status = cut'],
    'dropped the csv export': ['shop dropped the csv export = dropped the csv export'],
    'Mails are not delivered on Huawei phones since the update': [
      'shop Mails are not delivered = Mails are not delivered on Huawei phones since the update',
    ],
    'Deleted users are not shown in lists': [],
    'kernel 6.8 has a bug with the new cards': [
      'shop kernel has a bug with the new cards = kernel 6.8 has a bug with the new cards',
    ],
    'Snapshots are saved as ONNX': ['Snapshots saved as ONNX'],
    'The file is kept as notes.md.bak': [],
    'The fonts live in their own repo, git.acme.example/brand/fonts': [
      'fonts path = git.acme.example/brand/fonts',
    ],
    'Yuki did the water shader': ['water shader author = Yuki', 'Yuki made water shader'],
    'the forecast is a lightgbm 4.3 classifier': [
      'forecast uses lightgbm',
      'forecast lightgbm version = 4.3',
    ],
    'We support Android 10+': ['shop supports Android', 'shop Android version = 10+'],
    'newsletter = Brevo, wiki = Outline': ['newsletter uses Brevo', 'wiki uses Outline'],
    'The boot image is max. 448 KB big': ['boot image limit = 448 KB'],
    'the tax API is rate limited to 60 calls per minute': ['tax API limit = 60 calls per minute'],
    'Plans are at most 3 pages': ['shop Plans at most 3 pages = Plans are at most 3 pages'],
    'the exporter silently drops rows without a key': [
      'shop exporter silently drops rows = the exporter silently drops rows without a key',
    ],
    'answer me in German': ['user answer me in German = answer me in German'],
    'The balance flickers at midnight, nobody knows why': [
      'shop balance flickers at midnight = The balance flickers at midnight, nobody knows why',
    ],
  },
  'the last thing named before': {
    'Kibana is at logs.acme.example, admin is Viktor': [
      'Kibana url = logs.acme.example',
      'Kibana admin = Viktor',
      'Viktor admin of Kibana',
    ],
    'The owner is Ann, the contact is Ben': [
      'shop owner = Ann',
      'Ann owns shop',
      'shop contact = Ben',
      'Ben contact for shop',
    ],
    'data lives on /mnt/tills, backup every sunday to tape': ['shop data path = /mnt/tills'],
    'To run the tests you need docker; start it first': [],
    'The launch is planned for October on a Falcon 9': [],
    'Merge requests are reviewed on Gerrit': ['Merge requests reviewed on Gerrit'],
  },
  'steps below a task': {
    'to reset a till:\n1. stop the till service\n2. run `till reset`\n3. ask the cashier to sign in': [
      'shop reset a till = stop the till service → run `till reset` → ask the cashier to sign in',
    ],
    '## How to release\n1. bump the version\n2. push the tag': [
      'shop release = bump the version → push the tag',
    ],
    'Adding a language:\n1. copy en.json\n2. run `i18n:check`': [
      'shop adding a language = copy en.json → run i18n:check',
    ],
    'Hosting:\n* Host: Hetzner CX32\n* Process manager: systemd': ['shop Host = Hetzner CX32'],
    '# Release train\n- branch cut: every second Monday\n- release manager: Olga': [
      'shop release manager = Olga',
      'Olga release manager of shop',
    ],
    'Rules:\n- use tabs\n- never push to main': [
      'shop tabs = use tabs',
      'shop push to main = never push to main',
    ],
  },
  'preferences of people and of groups': {
    'Runa dislikes long functions': ['Runa long functions = not long functions'],
    'The cashiers prefer large buttons': ['shop large buttons = The cashiers prefer large buttons'],
    'Redis prefers memory to disk': [],
    'Services like billing need Redis': [],
  },
  'what replaced what': {
    'From May 2027 on Valkey takes the place of the old session cache': ['session cache replaced by Valkey'],
    'We abandoned Redux for Zustand': ['Redux replaced by Zustand'],
    'We no longer support Node 18': ['Node 18 status = no longer supported'],
    'cart-api no longer uses MongoDB': ['cart-api no longer uses = MongoDB'],
    "We'll stop selling Gift Cards 2 in June": ['Gift Cards 2 status = no longer sold'],
  },
  'clauses and lists that leave words out': {
    'The admin is a Remix app, deployed to Fly.io': ['admin uses Remix', 'admin deployed to Fly.io'],
    'The importer is a script, moved to another repository': [],
    'Going with Vite rather than Parcel for the admin': ['shop uses Vite', 'shop admin = Vite'],
    'Engine: Godot 4.3, language: Rust': ['shop Engine = Godot', 'shop language = Rust'],
    'The minimum Node version is 20, minimum Safari version 16': ['shop minimum Safari version = 16'],
    'App uses Room for storage and Koin for injection': ['shop uses Koin', 'shop injection = Koin'],
    '2026-01-02: moved the receipts from files to Valkey': ['receipts uses Valkey'],
  },
  'keys, amounts and orders': {
    'Backend lead: Ann Berg. Frontend lead: Bo Lund.': ['shop backend lead = Ann Berg'],
    'Secrets: SOPS + age': ['shop Secrets = SOPS + age'],
    '**Ingress**: Traefik 3': ['shop uses Traefik', 'shop Ingress = Traefik'],
    'Auth token: Act as this agent': [],
    'The suite takes about 25 minutes': ['suite duration = about 25 minutes'],
    'We are using PostgreSQL in version 15': ['shop uses PostgreSQL', 'shop PostgreSQL version = 15'],
    'Responsible for the parser is Katarzyna': ['parser responsible = Katarzyna'],
    'Dr Amara Okafor supervises the labelling': ['labelling supervisor = Amara Okafor'],
    'It is not allowed to push to main': ['shop push to main = It is not allowed to push to main'],
    'Keep handlers under 20 ms': ['shop Keep handlers under 20 ms = Keep handlers under 20 ms'],
    'Jules prefers small diffs and hates squash merges': [
      'Jules small diffs = small diffs',
      'Jules squash merges = not squash merges',
    ],
    'The loader lives at 0x08000000': ['loader address = 0x08000000'],
  },
  'means, gaps and values that changed': {
    'Nomad schedules all batch jobs': ['shop batch jobs = Nomad', 'shop uses Nomad'],
    'We ended up going with Tailwind over plain CSS': ['shop uses Tailwind'],
    'The report page is server-rendered with Next.js 14': ['report page server-rendered with Next.js'],
    'Auth is handled by Clerk, billing by Stripe': ['Auth handled by Clerk', 'billing handled by Stripe'],
    'The iOS app is written in Swift 6, the Android one in Kotlin': ['Android app written in Kotlin'],
    'Jukka is responsible for hardware and Minna for the mobile app': ['mobile app responsible = Minna'],
    'The flag for the new cart is `cart_v2`': ['shop flag for the new cart = cart_v2'],
    'The heater communicates with the panel by Modbus RTU': ['heater uses Modbus RTU'],
    'Chunk size reduced to 8 MB': ['shop Chunk size = 8 MB'],
    'Cut the loyalty programme from the first release': [
      'shop Cut the loyalty programme from the first release = ',
    ],
    'Removing rows takes a while': [],
  },
  'lists of tools, schedules and who is asked': {
    'Address validation calls the Loqate API': ['Address validation calls Loqate API'],
    'Decided with Elif to postpone gift cards': ['shop postpone gift cards = '],
    'The test site gets redeployed on every push to develop': [
      'test site schedule = on every push to develop',
    ],
    'Carrier contracts: ask Solveig': ['Carrier contracts contact = Solveig'],
    'Translations are managed on Weblate': ['Translations managed on Weblate'],
    'The report is ready for customers from Italy': [],
    'Receipts are generated as PDF/A': [],
    '**Stack:** Django 5, PostgreSQL 16': [
      'shop uses Django',
      'shop uses PostgreSQL',
      'shop PostgreSQL version = 16',
    ],
    'pandas is pinned to 2.1 because 2.2 breaks the export': ['shop pandas version = 2.1'],
    'The API docs are at <https://docs.shop.example>': ['API docs url = https://docs.shop.example'],
    '> Do not edit files in the folder `generated`': ['shop edit files in the folder'],
    'winget is compiled on Linux': [],
  },
  'support, agencies and gaps of people': {
    'Dropped support for Python 3.9': ['Python 3.9 status = no longer supported'],
    'Reviews are done by an agency called TestHaus': ['Reviews responsible = TestHaus'],
    'Hydrology is led by Ann Berg, statistics by Paul Martin': ['statistics lead = Paul Martin'],
    'Ann is the person to ask about billing': ['billing contact = Ann'],
    'Ann likes to get a mail on Fridays': [],
    'Current in sleep: 12 µA': ['shop Current in sleep = 12 µA'],
    'We ship a release every second Thursday': ['shop release schedule = every second Thursday'],
    'Eventually we will need a second supplier': [],
  },
  'words around a name': {
    'The parser is maintained by her postdoc Kofi Mensah': ['parser maintainer = Kofi Mensah'],
    'Certificates are renewed by Certbot 30 days before they end': ['Certificates renewed by Certbot'],
    'Bundles are signed by Fastlane lanes': ['Bundles signed by Fastlane'],
    'The solver depends on SciPy >= 1.11 and lmfit': ['solver depends on SciPy', 'solver depends on lmfit'],
    'Reports are stored as PDF files under /data/reports': ['Reports path = /data/reports'],
    'The docs are at `https://docs.shop.example`': ['docs url = https://docs.shop.example'],
    'The sensor board has 512 KB flash': ['sensor board flash = 512 KB'],
    'CAN bus speed: 250 kbit/s': ['shop CAN bus speed = 250 kbit/s'],
    'ALWAYS run the linter before a push': ['shop run the linter = ALWAYS run the linter before a push'],
  },
  'ports and amounts': {
    'cart-api exposes gRPC on 50051 and metrics on 9091': [
      'cart-api gRPC port = 50051',
      'cart-api metrics port = 9091',
      'cart-api exposes gRPC',
    ],
    'cart-api needs at least 2 GB of RAM': ['cart-api needs = at least 2 GB of RAM'],
    'Sessions expire after 20 minutes': ['shop Sessions expire after = 20 minutes'],
    'Vouchers are deleted after 90 days': ['Vouchers deleted after = 90 days'],
  },
  'ends of validity, and facts without a name': {
    'The signing key expires on 3 May 2027': ['signing key expires = 2027-05-03'],
    'Pictures from the booth go to the bucket shop-raw': [
      'shop Pictures from the booth = goes to bucket shop-raw',
    ],
    'esbuild stays; Rspack was too young': ['shop uses esbuild'],
    'We split search into its own service': ['shop split search into its own service = split search'],
    'Our florist is Dr. Paula Reyes': ['shop florist = Paula Reyes'],
  },
  'who is asked': {
    'Questions about invoices go to Pavel': ['invoices contact = Pavel', 'Pavel contact for invoices'],
    'Greta Holm leads checkout; her deputy is Ivo': [
      'checkout lead = Greta Holm',
      'Greta Holm leads checkout',
      'Greta Holm deputy = Ivo',
      'Ivo deputy of Greta Holm',
    ],
    'Maintainers are @ann (search) and @bob (cart)': [
      'search maintainer = @ann',
      '@ann maintains search',
      'cart maintainer = @bob',
      '@bob maintains cart',
    ],
    'Marta looks after the label printer': [
      'label printer maintainer = Marta',
      'Marta maintains label printer',
    ],
  },
  'rules and lessons': {
    'Never anodise the spare parts': ['shop anodise the spare parts = Never anodise the spare parts'],
    'Only Tanja talks to the bank': ['shop Tanja talks to the bank = Only Tanja talks to the bank'],
    'No direct writes to the stock table, the importer does it': [
      'shop no direct writes to the stock table = No direct writes to the stock table, the importer does it',
    ],
    'Secrets are in the vault; never put them in .env files': [
      'shop put Secrets in .env files = Secrets are in the vault; never put them in .env files',
    ],
    'Without a token the request is refused': [],
    'The importer skips empty rows, which took us a week to notice': [
      'shop importer skips empty rows = The importer skips empty rows',
    ],
  },
}

for (const [name, cases] of Object.entries(forms))
  test(`${name} are read as a person says them (knowledge.md#what-is-read)`, async t => {
    for (const [text, expected] of Object.entries(cases)) {
      const said = await readText(text)
      for (const one of expected)
        t.true(
          said.some(line => line.startsWith(one)),
          `${one}\n${said.join('\n')}`,
        )
      if (expected.length === 0)
        t.deepEqual(
          said.filter(line => !/ uses | depends on /u.test(line)),
          [],
          text,
        )
    }
  })

test('what is chosen beside something else is not its purpose (knowledge.md#what-is-read)', async t => {
  const said = await readText('We picked Vite, with Webpack as the fallback')
  t.true(said.includes('shop uses Vite'), said.join('\n'))
  t.false(
    said.some(line => line.includes('fallback = ')),
    said.join('\n'),
  )
})

const types: Readonly<Record<string, string | undefined>> = {
  'Deep links open twice on tablets': 'issue',
  'Push messages arrive twice on old phones': 'issue',
  'Release notes longer than a page are rejected': 'rule',
  'Pull requests without a ticket are not merged': 'rule',
  'Designers would rather have tokens than mixins': 'preference',
  'Printer stuck? Hold the button for ten seconds': 'procedural',
  'We are keeping RabbitMQ': 'decision',
  'We will not support Internet Explorer any more': 'decision',
  'Banners live at most two weeks': 'rule',
  'The gate does not close in the rain': 'issue',
  'Labels are lost after a restart - we learned that the hard way': 'learning',
  'The testers agreed on Strapi 5': 'decision',
  'The user wants me to write tests first': 'preference',
  'The cache was full because nothing was evicted. Took me a day': 'learning',
  'NEVER commit generated files': 'rule',
  'I prefer that you ask before adding a package': 'preference',
  'We postponed the gift cards to 2027': 'decision',
  'From now on we store CRAM instead of BAM': 'decision',
  'The results are empty if the query has an umlaut': 'issue',
  'Secrets belong in Vault and nowhere else': 'rule',
  'Use UTC everywhere': 'rule',
  'Coupons can be applied twice if the button is pressed fast': 'issue',
  'Sensor 17 has been reporting negative values since 3 May': 'issue',
  'Clear the cache if the build shows old files': 'procedural',
  'Apple needs one proof for each domain, found that out the hard way': 'learning',
  'Interesting: phones suspend sockets in the background': 'learning',
  'I like it when tests read like sentences': 'preference',
  'After two days of debugging: the proxy strips a header': 'learning',
  '**Decision (2026-05-20):** use integers for all ids': 'decision',
  'Nothing gets deployed without a green build': 'rule',
  'We take the smaller board because it has more pins': 'decision',
  'Duplicated rows show up when the consumer restarts': 'issue',
  'Load spikes to 90 % when the cache is rebuilt': 'issue',
  'Changes to the till only with a ticket': 'rule',
  'In hindsight, XML was the wrong choice for receipts': 'learning',
  'When you write tests for me, prefer fakes': 'preference',
  'The scanner disconnects after 30 s': 'issue',
  'Never `git push --force` to main': 'rule',
}

test('a note of a group, a device or a process gets its type (rules.md 1.2)', t => {
  for (const [text, type] of Object.entries(types)) t.is(typeOfNote(text), type as never, text)
})
