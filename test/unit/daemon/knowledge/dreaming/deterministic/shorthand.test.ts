import test from 'ava'
import { readText } from '../../../../../helpers/rule-reading.js'

const forms: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'an arrow or an equals sign': {
    'orders -> kafka 3.7, not rabbit': ['orders uses Kafka', 'orders Kafka version = 3.7'],
    'CRM = HubSpot, wiki = Notion': ['CRM uses HubSpot', 'wiki uses Notion'],
    'billing owner = Kim': ['billing owner = Kim', 'Kim owns billing'],
    'mysql -> postgres': [],
    'develop -> staging -> production': [],
    'retries = 3': [],
    'const db = Postgres': [],
  },
  'an arrow to a person': {
    'API questions -> Priya (@pnair), invoices -> Chen': [
      '@pnair is Priya',
      'API contact = Priya',
      'Priya contact for API',
      'invoices contact = Chen',
      'Chen contact for invoices',
    ],
    'draft -> Review -> done': [],
    'Staging -> Production': [],
  },
  'identifiers with an equals sign': {
    'SPI1 = flash chip, SPI2 = display': ['SPI1 description = flash chip', 'SPI2 description = display'],
    'X_1 = null, X_2 = 7': [],
  },
  'properties without a colon': {
    'max payload 40 kg, min battery 20 %, heartbeat every 500ms': [
      'shop max payload = 40 kg',
      'shop min battery = 20 %',
      'heartbeat schedule = every 500ms',
    ],
    'docs url https://docs.acme.example': ['shop docs url = https://docs.acme.example'],
    'default branch trunk': ['shop default branch = trunk'],
    'see issue https://git.acme.example/4': [],
    'metrics: kept for 30d': ['metrics retention = 30d'],
  },
  'a list of keys, or of amounts': {
    'Auth: Clerk, styling: Panda': ['shop Auth = Clerk', 'shop styling = Panda'],
    'State management: MobX-State. Routing: wouter.': [
      'shop State management = MobX-State',
      'shop Routing = wouter',
    ],
    'audio engine = JUCE 8, sample rate 48 kHz': [
      'audio engine uses JUCE',
      'audio engine JUCE version = 8',
      'shop sample rate = 48 kHz',
    ],
    'goal = Phase 2': [],
    'Testing: TODO': [],
    'Deployment: Friday': [],
    'Tests: broken': [],
    'Race sessions: max 12 drivers, tick rate 60 Hz': [
      'shop Race sessions max drivers = 12',
      'shop Race sessions tick rate = 60 Hz',
    ],
    'Alert threshold for lag = 0.72 (was 0.65)': ['shop Alert threshold for lag = 0.72'],
    'reports: https://bi.acme.example/d/12, owner is Kim': [
      'reports url = https://bi.acme.example/d/12',
      'reports owner = Kim',
      'Kim owns reports',
    ],
  },
  'a line without a verb': {
    'logs shipped to Loki by Promtail': ['logs published to Loki', 'logs shipped by Promtail'],
    'frontend built with SvelteKit and hosted on Netlify': [
      'frontend built with SvelteKit',
      'frontend hosted on Netlify',
    ],
    'api gateway on Kong, workers on Celery': ['api gateway runs on Kong', 'workers runs on Celery'],
    'rate limit 50 rps per key': ['shop rate limit = 50 rps per key'],
    'Maintained by Kim.': ['shop maintainer = Kim', 'Kim maintains shop'],
    'Ann deployed to Netlify': [],
    'Crash on Android': [],
    'Images kept in S3 are lost if the disk is full': [
      'shop Images kept in S3 are lost = Images kept in S3 are lost if the disk is full',
    ],
  },
  'an aside or a contrast': {
    'The importer, written in Go, reads from SFTP.': ['importer written in Go', 'importer reads from SFTP'],
    'The mobile app is written in Dart while the API is written in Elixir.': [
      'mobile app written in Dart',
      'API written in Elixir',
    ],
    'Never deploy while the importer runs on the cluster.': [
      'shop deploy while the importer runs = Never deploy while the importer runs on the cluster',
    ],
  },
  'a correction': {
    'CI is no longer on Jenkins, now GitHub Actions': [
      'Jenkins replaced by GitHub Actions',
      'CI uses GitHub Actions',
    ],
    'no longer Redis, now Valkey': ['Redis replaced by Valkey', 'shop uses Valkey'],
    'The old one is no longer used, now we wait': [],
  },
  'an opening of a chat': {
    'btw the wiki lives at https://wiki.acme.example': ['wiki url = https://wiki.acme.example'],
    'oh and the cron job runs on box-3': ['cron job runs on box-3'],
    'just so you know, the designer is Mia': ['shop designer = Mia', 'Mia designer of shop'],
  },
}

for (const [form, notes] of Object.entries(forms))
  test(`${form} is read like a sentence`, async t => {
    for (const [text, expected] of Object.entries(notes)) t.deepEqual(await readText(text), expected, text)
  })

test('a scope before the subject of a commit names a part, with and without a kind', async t => {
  t.deepEqual(await readText('tls: fix a race in the renewal (#12)'), [
    'tls part of shop',
    'tls a race in the renewal = a race in the renewal',
  ])
  t.deepEqual(await readText('cart, tls: add a filter for headers (#13)\n\n- one\n- two'), [])
  t.deepEqual(await readText('deps: update the modules (#14)'), [])
  t.deepEqual(await readText('go.mod: raise the minimum (#15)'), [])
})

test('the number of an issue leaves no open end', async t => {
  t.deepEqual(await readText('Add regression tests for #13 (#14)'), [
    'shop regression tests = regression tests',
  ])
})

test('a version with its kind, and a width in bits, are what they are', async t => {
  t.deepEqual(await readText('Django is pinned to v4.9 LTS until May'), [
    'shop Django version = v4.9 LTS until 2026-05-01',
  ])
  t.false(
    (await readText('The decoder is off by one on 32-bit targets')).some(fact => fact.includes('version')),
  )
})
