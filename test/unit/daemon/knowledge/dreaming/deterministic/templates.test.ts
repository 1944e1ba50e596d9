import test from 'ava'
import { namedIn, readText, shop } from '../../../../../helpers/rule-reading.js'

const forms: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  attribute: {
    'The default branch is develop': ['shop default branch = develop'],
    'Our staging URL is https://s.example/a': ['shop staging URL = https://s.example/a'],
    'Postgres version is pinned to 15.4': ['shop Postgres version = 15.4'],
    'The staging database is called shop_staging': ['shop staging database = shop_staging'],
    'My timezone is Europe/Vienna': ['user timezone = Europe/Vienna'],
    "The user's name is Sam Lee": ['user name = Sam Lee'],
    'Detox is our tool for tests': ['shop tool for tests = Detox'],
    'The port is already in use': [],
    'The deadline is unclear': [],
    'The owner is on vacation': [],
    'The API is slow': [],
    'The current branch is feature/login': [],
    'The last region was eu-central-1': [],
    'The database is encrypted': [],
    'The database is MariaDB': ['shop database = MariaDB'],
  },
  'key: value': {
    'region: eu-central-1': ['shop region = eu-central-1'],
    'database: postgres 16': ['shop database = postgres 16'],
    'radio channel: 20 (11 was noisy)': ['shop radio channel = 20'],
    'Note: the import takes long': [],
    'Error: connect ECONNREFUSED 127.0.0.1:5432': [],
    'real address: X-Forwarded-For needs hops: 1 behind the proxy': [],
  },
  relation: {
    'We use Redis for sessions': ['shop uses Redis', 'shop sessions = Redis'],
    'The checkout service runs on port 4010': ['checkout service port = 4010'],
    'The cluster runs on Kubernetes 1.29': [
      'cluster runs on Kubernetes',
      'cluster Kubernetes version = 1.29',
    ],
    'The project is written in TypeScript': ['shop written in TypeScript'],
    'The invoice service depends on the tax service': ['invoice service depends on tax service'],
    'We use pnpm as the package manager': ['shop uses pnpm', 'shop package manager = pnpm'],
    'The search uses Typesense, which allows 50 queries per second on our plan': [
      'search uses Typesense',
      'Typesense limit = 50 queries per second',
    ],
    'The gateway forwards requests to Envoy': ['gateway forwards to Envoy'],
    'The worker writes to ClickHouse, which runs out of disk on Sundays': ['worker writes to ClickHouse'],
    'The job reads every second row': [],
    'Scans are checked by Veris at https://veris.example': [
      'Veris url = https://veris.example',
      'Scans checked by Veris',
    ],
    'Staging is deployed by Argo at https://stage.example': [
      'Staging url = https://stage.example',
      'Staging deployed by Argo',
    ],
    'The printer needs the Zebra driver 10 or newer': [
      'printer depends on Zebra driver',
      'printer Zebra driver version = 10 or newer',
    ],
    'The API needs a token and allows 20 calls per minute per key': [
      'API limit = 20 calls per minute per key',
    ],
    'The beer list is cached for an hour': ['beer list retention = an hour'],
    'The bootloader is MCUboot': ['bootloader uses MCUboot'],
    'The winner is McGregor': [],
    'Images go to the bucket shop-img': ['Images goes to bucket shop-img'],
    'Payroll runs on the second working day of the month': [
      'Payroll schedule = on the second working day of the month',
    ],
    'We use it every day': [],
    'We use feature branches': [],
    'We deploy on Thursdays': [],
    'The test uses a fake clock': [],
  },
  'upgrade and replacement': {
    'We upgraded to React 19': ['shop React version = 19'],
    'We migrated from Jest to Vitest': ['Jest replaced by Vitest', 'v1 becomes Vitest', 'shop uses Vitest'],
    'We switched from CircleCI to GitHub Actions': [
      'CircleCI replaced by GitHub Actions',
      'shop uses GitHub Actions',
    ],
  },
  decision: {
    'We decided to use Stripe for payments': [
      'shop Stripe for payments = We decided to use Stripe for payments',
      'shop uses Stripe',
      'shop payments = Stripe',
    ],
    'Decision: keep the monolith': ['shop keep the monolith = keep the monolith'],
    'They decided to leave': [],
    'We have not decided on a registry': [],
    "We'll drop Safari 15 in 4.0, nobody has it": [
      "shop drop Safari 15 = We'll drop Safari 15 in 4.0, nobody has it",
    ],
    'We are going to move to Hetzner some day': [
      'shop move to Hetzner some day = We are going to move to Hetzner some day',
    ],
    'We will meet on Monday': [],
    'We will not log addresses': ['shop not log addresses = We will not log addresses'],
    'Decision of 12 May: no more feature branches': [
      'shop no more feature branches = no more feature branches from 2026-05-12',
    ],
    'Agreed with Ann: the archive is read-only': ['shop archive is read-only = the archive is read-only'],
    'We chose Kuzu as the graph store because Neo4j was too dear': [
      'shop uses Kuzu',
      'shop graph store = Kuzu',
      'shop Kuzu as the graph store = We chose Kuzu as the graph store because Neo4j was too dear',
    ],
    'We went with Postgres instead of Mongo': [
      'shop uses Postgres',
      'shop Postgres instead of Mongo = We went with Postgres instead of Mongo',
    ],
  },
  preference: {
    'Rosa likes rebase, not merge commits': ['Rosa rebase = rebase, not merge commits'],
    'User prefers tabs over spaces': ['user tabs over spaces = tabs over spaces'],
    'User prefers spaces over tabs': ['user spaces over tabs = spaces over tabs'],
    'Marta likes long messages': ['Marta long messages = long messages'],
    'Marta wants long messages': ['Marta long messages = long messages ?'],
    'I want to fix the login first': [],
    'I prefer early returns over nested ifs, keep that in mind': [
      'user early returns over nested ifs = early returns over nested ifs',
    ],
    'Henrik likes feature flags better than branches': [
      'Henrik feature flags better than branches = feature flags better than branches',
    ],
    'It likes to crash': [],
  },
  rule: {
    'Never commit directly to main': ['shop commit directly to main = Never commit directly to main'],
    'Prices must be stored in cents': ['shop Prices stored in cents = Prices must be stored in cents'],
    'Do not update Expo before September': [
      'shop update Expo = Do not update Expo before September until 2026-09-01 ?',
    ],
    "Don't join on mail, use the key": ["shop join on mail = Don't join on mail, use the key"],
    'Nobody pushes to main': ['shop Nobody pushes to main = Nobody pushes to main'],
    'Nobody has it': [],
    'Update the changelog before every release': [
      'shop Update the changelog = Update the changelog before every release',
    ],
    'Always bump the build before uploading': [
      'shop bump the build = Always bump the build before uploading',
    ],
    'Fix the name of a module when it differs from the package': [],
    'Do not warn twice under -bb Closes #2877': [],
    'Merge `stable` into `main` after the conversion (#3563) They were apart': [],
    'No invoice may leave the archive': ['shop invoice leave the archive = No invoice may leave the archive'],
    'Dumps are always encrypted': ['shop Dumps encrypted = Dumps are always encrypted'],
    'It must have been the cache': [],
    'Never seen this before': [],
    'Never push to main please': ['shop push to main = Never push to main'],
    'Always keep this file updated': [],
    'Do not rely on MERGE ... RETURNING': [],
  },
  'owner and alias': {
    'The billing worker is owned by Priya': ['billing worker owner = Priya', 'Priya owns billing worker'],
    'Ana maintains the terraform modules': [
      'terraform modules maintainer = Ana',
      'Ana maintains terraform modules',
    ],
    'Ana owns Kubernetes and monitoring': [
      'Kubernetes owner = Ana',
      'Ana owns Kubernetes',
      'monitoring owner = Ana',
      'Ana owns monitoring',
    ],
    'k8s is short for Kubernetes': ['k8s is Kubernetes'],
    'billing-api, also known as bill, is written in Go': ['bill is billing-api'],
  },
}

Object.assign(forms, {
  'bare and several subjects': {
    'invoices listens on port 8081': ['invoices port = 8081'],
    'invoices stores its data in Postgres 15': [
      'invoices stored in Postgres',
      'invoices Postgres version = 15',
    ],
    'checkout talks to invoices and ledger': ['checkout talks to invoices', 'checkout talks to ledger'],
    'gateway, auth and billing run on Nomad': [
      'gateway runs on Nomad',
      'auth runs on Nomad',
      'billing runs on Nomad',
    ],
    'metrics go to Prometheus and logs to Loki': ['metrics goes to Prometheus', 'logs goes to Loki'],
    'Backups are kept 35 days and copied to Backblaze': [
      'Backups retention = 35 days',
      'Backups copied to Backblaze',
    ],
    'Restarting the worker every night hides it': [],
    'The iOS app needs iOS 16': ['iOS app depends on iOS', 'iOS app iOS version = 16'],
  },
  'technologies by themselves': {
    'Postgres 16 and Redis for sessions': [
      'shop uses Postgres',
      'shop Postgres version = 16',
      'shop uses Redis',
      'shop sessions = Redis',
    ],
    'Node 22, pnpm 9': [
      'shop uses Node',
      'shop Node version = 22',
      'shop uses pnpm',
      'shop pnpm version = 9',
    ],
    Kubernetes: [],
  },
  'what is done with something': {
    'We store sessions in Redis and files in S3': [
      'shop uses Redis',
      'shop sessions = Redis',
      'shop uses S3',
      'shop files = S3',
    ],
    'We wrote the importer in Rust': ['importer written in Rust'],
    'The exporter writes to Kafka': ['exporter writes to Kafka'],
    'The test reads a file': [],
    'Runbooks are documented in Confluence': ['Runbooks documented in Confluence'],
    'The app was released in Austria': [],
  },
  'changes without a subject': {
    'Switched the warehouse from Redshift to BigQuery': [
      'Redshift replaced by BigQuery',
      'warehouse uses BigQuery',
    ],
    'Dropped Moment in favour of date-fns': ['Moment replaced by date-fns'],
    'Moved to Berlin in May': [],
    'We are dropping the SOAP interface': ['SOAP interface status = to be dropped'],
    'Dropped my laptop yesterday': [],
  },
  'notes without a subject': {
    'Needs Java 21 to build': ['shop depends on Java', 'shop Java version = 21'],
    'Runs on port 5000': ['shop port = 5000'],
    'Written in Go': ['shop written in Go'],
    'Runs fine on my machine': [],
    'Written in a hurry': [],
  },
  'what was, and amounts': {
    'The old API used SOAP': [],
    'If Postgres is down, the API answers 503': [],
    'Our SLO is 99.9 %': ['shop SLO = 99.9 %'],
    'Max uploads: 25 MB': ['shop Max uploads = 25 MB'],
    'Timeouts: connect 2 s, read 30 s': ['shop Timeouts = connect 2 s, read 30 s'],
    'Releases happen every second Tuesday': ['Releases schedule = every second Tuesday'],
    'The API key is in Vault': ['API key located in Vault'],
    'The team is in Lyon': [],
    'E2E tests of the web shop are run with Playwright': ['web shop E2E tests = Playwright'],
    'The API allows 5 requests per second': ['API limit = 5 requests per second'],
    'The gateway is deployed to Fly.io in fra': ['gateway deployed to Fly.io'],
  },
  'people by line and by work': {
    'Kegs are owned by logistics': ['Kegs owner = logistics', 'logistics owns Kegs'],
    'Mirzela Popanu (@mpop) handles licensing': [
      '@mpop is Mirzela Popanu',
      'licensing responsible = Mirzela Popanu',
      'Mirzela Popanu responsible for licensing',
    ],
    'On call this week: Yusuf': [
      'shop on call = Yusuf until 2026-01-12',
      'Yusuf on call for shop until 2026-01-12',
    ],
    'Owner of the forecasts table: Priya Nair, backup is Jonas': [
      'forecasts table owner = Priya Nair',
      'Priya Nair owns forecasts table',
    ],
    'Hana designed the onboarding': ['onboarding designer = Hana', 'Hana designed onboarding'],
    'Ben wrote a test yesterday': [],
    'Contacts: Ravi (ranking), Mei (search)': [
      'ranking contact = Ravi',
      'Ravi contact for ranking',
      'search contact = Mei',
      'Mei contact for search',
    ],
    'Maestro does the tests': [],
  },
  'addresses by name': {
    'Grafana: https://g.example, Loki: https://l.example': [
      'Grafana url = https://g.example',
      'Loki url = https://l.example',
    ],
    'See: https://x.example': [],
    'https://x.example: y': [],
  },
  'what something is': {
    'redis-main is the session cache': ['redis-main description = session cache'],
    'Jenkins is a pain': [],
    'legacy-api is the main problem': [],
  },
})

for (const [form, sentences] of Object.entries(forms))
  test(`${form}: sentences with and without a fact (knowledge.md#what-is-read)`, async t => {
    for (const [sentence, expected] of Object.entries(sentences))
      t.deepEqual(await readText(sentence), expected, sentence)
  })

test('without a project, facts about the project are not read (knowledge.md#what-is-read)', async t => {
  t.deepEqual(await readText('The default branch is develop', { project: null }, []), [])
  t.deepEqual(await readText('We use Bun', { project: null }, []), [])
})

test('a subject is matched by alias, and a memory mentions the entities it names (knowledge.md#what-is-read)', async t => {
  const orion = { name: 'Orion', aliases: ['the biller'], type: 'service', entityId: 'e1', claims: [] }
  t.deepEqual(await readText('Orion runs on Postgres', {}, [shop, orion]), ['Orion runs on Postgres'])
  t.deepEqual(await readText('the biller runs on Postgres', {}, [shop, orion]), ['Orion runs on Postgres'])
})

test('a known name with symbols is found in a text, a plain word only as written (knowledge.md#what-is-read)', async t => {
  const of = (name: string) => ({ name, aliases: [], type: 'tool', entityId: name, claims: [] })
  const known = [shop, of('orchid-api'), of('a/b'), of('C++'), of('Go'), of('user')]
  const mentions = (text: string) => namedIn(text, known)
  t.deepEqual(await mentions('Look at orchid-api, a/b and C++ first'), ['orchid-api', 'a/b', 'C++'])
  t.deepEqual(await mentions('Builds go through a user'), [])
  t.deepEqual(await mentions('Rewritten in Go'), ['Go'])
})

test('facts from many lines that nobody saved as a memory are uncertain (knowledge.md#what-is-read)', async t => {
  const story = ['The default branch is develop', ...Array.from({ length: 9 }, () => 'and so on')].join('\n')
  t.deepEqual(await readText(story, { sourceKind: 'artifact' }), ['shop default branch = develop ?'])
  t.deepEqual(await readText(story), ['shop default branch = develop'])
})

test('spoken task instructions are neither settings nor prohibitions (knowledge.md#what-is-read)', async t => {
  const spoken = { sourceKind: 'transcript', speaker: 'user' } as const
  t.deepEqual(await readText('region: eu-central-1', spoken), [])
  t.deepEqual(await readText('Do not touch the styles', spoken), [])
  t.deepEqual(await readText('I want the list to show a bar', spoken), [])
  t.deepEqual(await readText('never push to main', spoken), ['shop push to main = never push to main'])
  t.deepEqual(await readText('We use Redis', { ...spoken, speaker: 'assistant' }), [])
})

test('people are known by their first name where only one has it', async t => {
  const person = (name: string) => ({ name, aliases: [], type: 'person', entityId: name, claims: [] })
  const known = [shop, person('Ann Keller'), person('Max Ott'), person('Max Roth')]
  t.true((await readText('Ann owns billing', {}, known)).includes('Ann Keller owns billing'))
  t.true((await readText('Max owns billing', {}, known)).includes('Max owns billing'))
})

test('of a commit message its subject and its trailers are read, and are certain', async t => {
  const message = `fix(parser): keep comments (#12)

We must never use the old lexer here, because it is the
only part of the parser that would drop comments.

${'More about it.\n'.repeat(8)}
Co-authored-by: Ann Keller <ann@x.example>`
  t.deepEqual(await readText(message), [
    'parser part of shop',
    'parser keep comments = keep comments',
    'Ann Keller email = ann@x.example',
  ])
  t.deepEqual(await readText('bump lodash from 4.1.2 to 4.3.0'), [
    'shop depends on lodash',
    'shop lodash version = 4.3.0',
  ])
})

test('clocks, addresses, headings and errors name nothing', async t => {
  const text = `12:01 Ann: shipping
https://x.example: y
Created: 2026-01-02
Note: see below
C:\\x: y
error TS2345: Argument of type X
flit.config.ConfigError: the license field should be a table`
  t.deepEqual(await readText(text), [])
})

test('a wrapped paragraph is read as one line', async t => {
  const said = await readText(
    'The nightly jobs of the shop take about an hour, and for them the\nscheduler uses Redis.',
  )
  t.deepEqual(said, ['scheduler uses Redis'])
})

test('front matter and links of a note are certain, however long the note is', async t => {
  const note = `---
title: Orion
aliases: [the biller]
owner: "[[Ann Keller]]"
status: live
depends_on:
  - ledger
  - Postgres
tags: [billing]
---
# Orion

See [[Ledger plan|the plan]].
${'and so on\n'.repeat(9)}`
  t.deepEqual(await readText(note, { sourceKind: 'artifact', sourceId: 'a1', project: null }, []), [
    'the biller is Orion',
    'Orion owner = Ann Keller',
    'Ann Keller owns Orion',
    'Orion status = live',
    'Orion depends on ledger',
    'Orion depends on Postgres',
    'Orion refers to Ledger plan',
  ])
  t.deepEqual(await readText('---\nregion: x\n---\nNothing here', { project: null }, []), [])
})
