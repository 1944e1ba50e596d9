import test from 'ava'
import { typeOfNote } from '../../../../../../src/daemon/ground/reading/layout/note-type.js'
import { readText } from '../../../../../helpers/rule-reading.js'

/** Facts that a sentence has, and with `not` those that it must not have. */
interface NoteCase {
  has?: readonly string[]
  not?: readonly string[]
}

const forms: Readonly<Record<string, Readonly<Record<string, NoteCase>>>> = {
  'a verb that no rule knows': {
    'The frontend emits 40 spans per page.': { has: ['frontend emits = 40 spans per page'] },
    'The loader is short, the backend emits WebAssembly 2 modules.': {
      has: ['backend emits = WebAssembly 2'],
    },
    'The planner exports plans as PDF.': { has: ['shop planner exports = plans as PDF ?'] },
    'Instead of our own archives we use OCI artifacts.': { has: ['shop uses = OCI artifacts ?'] },
    'We use them on OCI hosts only': { not: ['shop uses ='] },
    'Menus are pulled from Foundry, prices from Vonage 4.': { not: ['shop Menus prices'] },
    'If the cache is cold, the API answers 429': { not: ['API answers'] },
    'The exporter eventually drops it into SQLite': { not: ['shop exporter'] },
    'The worker sometimes emits 3 events too many': { not: ['worker emits'] },
  },
  'a slot of the project and what no list names': {
    'MSRV is 1.74.': { has: ['shop MSRV = 1.74'] },
    'Search is Foundry Cloud.': { has: ['shop Search = Foundry Cloud'] },
    'The winner is Foundry Cloud.': { not: ['shop winner'] },
    'The queue is Ann': { not: ['shop queue = Ann'] },
  },
  'things that arrive, and places': {
    'Alerts arrive three times on tablets.': { not: ['Alerts stored in'] },
    'Crash reports land in Sentry.': { has: ['Crash reports stored in Sentry'] },
    'Invoices land on the desk of Marta.': { not: ['Invoices stored in'] },
  },
  'what moved, and what stays': {
    'The batch jobs were moved from the app server to Temporal.': {
      has: ['batch jobs uses Temporal'],
      not: ['app server replaced by'],
    },
    'Vitest replaces Jest for all new packages.': {
      has: ['Jest replaced by Vitest'],
      not: ['Jest replaced by packages'],
    },
    'Search moved from Solr to OpenSearch.': { has: ['Solr replaced by OpenSearch'] },
    'Refunds were moved out of the core into refund-svc because of the load on Sunday evenings.': {
      has: ['Refunds moved to refund-svc'],
      not: ['Refunds moved to refund-svc from'],
    },
    'Since May the tours run on our own app instead of Locatify.': { not: ['Locatify replaced by shop'] },
    'Removed Redis from the compose file.': {
      has: ['shop Removed Redis from the compose file ='],
      not: ['Redis status'],
    },
    'Vonage is gone, we use Foundry now.': { has: ['Vonage replaced by Foundry'] },
    'Vonage is gone.': { not: ['Vonage replaced'] },
    'Redshift gets decommissioned by Q4.': { has: ['Redshift status = to be decommissioned'] },
  },
  'tools by their tasks': {
    'We use Keycloak as identity provider and Kong as API gateway.': {
      has: ['shop identity provider = Keycloak', 'shop API gateway = Kong', 'shop uses Kong'],
    },
    'We use Keycloak as the identity provider.': { has: ['shop identity provider = Keycloak'] },
    'The kiosk uses Riverpod as state library and Drift as local database': {
      has: ['kiosk state library = Riverpod', 'kiosk local database = Drift'],
    },
    'We use Lena as a sounding board and Ben as a critic': { not: ['shop uses', 'shop critic'] },
    'Billing uses Redis as soon as Kafka is down': { not: ['Billing soon'] },
  },
  'lists whose parts have their own subjects': {
    'Game is Godot 4.3, editor scripts in Python 3.11.': {
      has: ['Game uses Godot', 'editor scripts written in Python', 'editor scripts Python version = 3.11'],
      not: ['Game uses Python'],
    },
    'Storefront in Svelte 5 with Vite, backend in Django 5, Redis 7 underneath.': {
      has: ['Storefront uses Svelte', 'Storefront uses Vite', 'backend built with Django', 'shop uses Redis'],
    },
    'Live runs on GKE 1.31 in europe-west4, staging in europe-west1.': {
      has: ['staging region = europe-west1'],
    },
    'Billing API: Rust, Axum 0.8, owner @lena, repo pay/billing.': {
      has: ['Billing API uses Rust', 'Billing API uses Axum', 'Billing API owner = @lena'],
      not: ['shop uses'],
    },
    'Raw scans: s3://scans-raw, thumbnails: s3://scans-small, both in us-east-1.': {
      has: ['Raw scans stored in = s3://scans-raw', 'thumbnails stored in = s3://scans-small'],
    },
    'Menus are pulled from Foundry, rates from Vonage.': { has: ['rates pulled from Vonage'] },
    'The ledger is written in Erlang, OTP 26.': { not: ['shop uses OTP'] },
    'Raw files land in gs://raw, clean files in gs://clean.': { not: ['Raw files land'] },
    'Download limit: 90 MB on Android, 120 MB on iOS.': { not: ['shop 120 MB', 'shop uses iOS'] },
    'Ann is in Berlin, Bob in Lisbon.': { not: ['Bob'] },
  },
  'what runs out, and labelled faults': {
    'The importer runs out of memory on GeoJSON files.': { not: ['importer runs on'] },
    'Known issue: node agent 1.8 leaks 40 handles on arm64.': { not: ['shop node agent 1.8'] },
    'scan-api caches labels in Valkey.': { has: ['scan-api uses Valkey'] },
    'Wwise was swapped for Fabric 3 in May.': { has: ['Wwise replaced by Fabric'] },
    'Voltage is sampled at 10 Hz.': { has: ['shop Voltage sampled at = 10 Hz ?'] },
    'Minimum supported versions are iOS 16 and Android 9.': {
      has: ['shop Minimum supported versions = iOS 16 and Android 9'],
    },
  },
  'pronouns, dates and who is meant': {
    'The sprites are owned by the art team, Dario approves them.': {
      has: ['sprites approver = Dario'],
      not: ['Dario approver'],
    },
    'Mina became the owner of the tax module in March 2026, succeeding Tom Berger.': {
      has: ['tax module owner = Mina from 2026-03-01'],
      not: ['tax module succeeding'],
    },
    'Mina is in charge of the tax module until the end of June.': {
      has: ['tax module responsible = Mina until 2026-07-01'],
    },
    'Mina is in charge of the tax module until June.': {
      has: ['tax module responsible = Mina until 2026-06-01'],
    },
    'Cron triggers the nightly export every hour.': { not: ['Cron schedule'] },
    'node-agent is written in Erlang, OTP 26.': {
      has: ['node-agent written in Erlang', 'node-agent uses OTP'],
      not: ['node-agent written in OTP'],
    },
    'The scanner speaks DICOM to older rooms.': { has: ['scanner speaks DICOM'], not: ['scanner talks to'] },
    'Moodle 4.4 runs on web-3.uni.example behind HAProxy.': { has: ['Moodle version = 4.4'] },
    'status page is /up on 9444': { not: ['status page version'] },
    'Invoices by Foundry, mails by an in-house service called postbote.': {
      has: ['Invoices handled by Foundry'],
    },
  },
  'several properties of one thing': {
    'Render box: dual EPYC in the cellar (loud), Jenkins 2.4 on port 8082. Ann looks after it.': {
      has: ['Render box uses Jenkins', 'Jenkins port = 8082', 'Render box maintainer = Ann'],
      not: ['Render box uses EPYC'],
    },
    'Audit trail: 180 days hot in Elasticsearch 8, afterwards 7 years in Glacier.': {
      has: ['Audit trail retention = 180 days', 'Audit trail stored in Elasticsearch'],
      not: ['Audit trail retention = 7 years'],
    },
    'Weather data: DWD feed, refreshed every hour, cached 6h in Redis (maybe Valkey soon)': {
      has: [
        'Weather data comes from DWD',
        'Weather data schedule = every hour',
        'Weather data stored in Redis',
      ],
      not: ['Weather data uses Valkey', 'Weather data stored in Valkey'],
    },
    'stage-eu = EKS in eu-west-1, 2 node groups, k8s 1.30.': {
      has: ['stage-eu runs on EKS', 'stage-eu region = eu-west-1'],
    },
    'Schema changes: business owner is Dr. Paula Stern, technical owner Ken Ito.': {
      has: ['Schema changes business owner = Paula Stern', 'Schema changes technical owner = Ken Ito'],
      not: ['Schema business', 'Schema people'],
    },
    'Ideas: Redis 8, cached 6h in Valkey': { not: ['Ideas'] },
    'Plan: EKS in eu-west-1, k8s 1.30': { not: ['Plan'] },
    'Kibana: https://kib.acme.example, Filebeat keeps 14 days.': {
      has: ['Kibana url = https://kib.acme.example', 'Filebeat retention = 14 days'],
    },
    'Config in etcd, secrets in Vault, everything else in Git.': { not: ['shop everything else'] },
    'Open beta runs 3 May - 20 May, cap of 500 users.': {
      has: ['shop Open beta schedule = 3 May - 20 May', 'shop Open beta limit = 500 users'],
      not: ['Open beta uses'],
    },
    'Tags are ASCII, case-insensitive, max 64 bytes.': { has: ['shop Tags limit = 64 bytes'] },
    'The lexer is written by hand, about 400 lines of Rust 1.79.': { has: ['lexer written in Rust'] },
    'docs moved to https://docs.acme.example/v3': { has: ['docs url = https://docs.acme.example/v3'] },
    'We moved to Berlin': { not: ['shop url', 'shop uses'] },
    'HL7 feed from Epic comes in over TCP on 10.1.2.3:7777.': {
      has: ['HL7 feed comes from Epic', 'HL7 feed address = 10.1.2.3:7777'],
    },
    'On-call this month: Mon-Wed Aisha, Thu-Sun Jonas (ext 4471).': {
      has: ['shop on call = Aisha and Jonas until 2026-02-01'],
      not: ['Mon-Wed'],
    },
    'Payments team lead since March: Ines Duarte. Before that it was Karl.': {
      has: ['Payments team lead = Ines Duarte from 2026-03-01'],
      not: ['Payments team lead = Karl'],
    },
  },
  'what took the place of something, in a few words,': {
    'Opsgenie -> Grafana OnCall (since 2026-02-01, too expensive)': {
      has: ['Opsgenie replaced by Grafana OnCall from 2026-02-01'],
    },
    'Prometheus -> Grafana': { not: ['Prometheus replaced'] },
    'Solr is gone since May 2026, everything is on OpenSearch 2.15 now.': {
      has: ['Solr replaced by OpenSearch from 2026-05-01'],
    },
    'Killed the Electron shell. Tauri 2 now: the bundle is smaller.': {
      has: ['Electron shell replaced by Tauri'],
    },
    'Travis out, GitHub Actions in.': { has: ['Travis replaced by GitHub Actions'] },
    'Ingress: nginx -> Envoy, done in March 2026': {
      has: ['Nginx replaced by Envoy from 2026-03-01'],
    },
    'Dropped Windows support in 0.9, nobody used it.': { has: ['Windows status = no longer supported'] },
    'Ann out, Ben in.': { not: ['Ann replaced'] },
    'Search: Typesense instead of Algolia since v5 (cost!).': {
      has: ['Algolia replaced by Typesense', 'Search uses Typesense'],
    },
    'Postgres 12 -> 16 done on 2026-01-03, took 40 min.': {
      has: ['shop Postgres version = 16 from 2026-01-03'],
    },
    'Renamed "workspace" to "site" in the UI.': { has: ['workspace renamed to = site'] },
    'Turned off autoscaling in April; it was slow.': { has: ['shop Turned off autoscaling'] },
    'Topics are named <team>.<entity>': { has: ['shop Topics naming scheme = <team>.<entity>'] },
  },
  'names, versions and parts in brackets or lists': {
    'Lena Bergmann (lbergmann) heads data platform.': { has: ['lbergmann is Lena Bergmann'] },
    'Our LDAP (ldap://dir.corp.example:389) is read-only.': {
      has: ['LDAP url = ldap://dir.corp.example:389'],
    },
    'Login is SSO via Keycloak.': { has: ['Login uses Keycloak'] },
    'Ben is on leave until 3 July, Ann covers for him.': {
      has: ['Ben status = on leave until 2026-07-04', 'Ben deputy = Ann', 'Ann deputy of Ben'],
      not: ['Ann deputy = Ann'],
    },
    'Feature flags = Unleash 6, self-hosted at flags.internal:4242': {
      has: ['Feature flags uses Unleash'],
      not: ['shop Feature flags = ='],
    },
    'We ship on Thursdays, hotfixes any day except Friday.': { not: ['shop hotfixes'] },
    "Tabs, not spaces. Don't argue.": { has: ['shop tabs over spaces'], not: ['shop argue'] },
    'Labels are in labels.xlsx, exported to JSON by tools/xl2json.': {
      has: ['Labels saved as JSON'],
      not: ['Labels copied to', 'Labels path = tools'],
    },
    'Audit log retention 6 years, immutable bucket (object lock).': {
      has: ['shop Audit log retention = 6 years'],
    },
    'Senders need up to 2 min to reconnect.': { not: ['shop senders'] },
    'Images sit in gs://shop-img, never edit by hand.': { not: ['shop edit ='] },
    'Ines left in May, her stuff is split between Jorge and Kaya.': { not: ['shop stuff'] },
    'FHIR server = HAPI 7.2, Postgres behind it, runs on vm-fhir-02': {
      has: ['FHIR server uses HAPI', 'FHIR server uses Postgres', 'FHIR server runs on vm-fhir-02'],
    },
    'Go-live of the crew app is 2026-09-01.': { has: ['crew app Go-live = 2026-09-01'] },
    'Lena Bergmann (berlin) heads data platform.': { not: ['berlin is'] },
    'forecaster v2.1 needs Python 3.12 and the price-cache.': {
      has: ['forecaster version = v2.1', 'forecaster depends on price-cache'],
    },
    'Payroll cut-off is 16:00 CET.': { has: ['shop Payroll cut-off = 16:00 CET'] },
  },
}

for (const [name, cases] of Object.entries(forms))
  test(`${name} are read, and nothing else (knowledge.md#what-is-read)`, async t => {
    for (const [text, { has = [], not = [] }] of Object.entries(cases)) {
      const said = await readText(text)
      const whole = `${text}\n${said.join('\n')}`
      for (const one of has)
        t.true(
          said.some(line => line.startsWith(one)),
          `${one}\n${whole}`,
        )
      for (const one of not)
        t.false(
          said.some(line => line.startsWith(one)),
          `${one}\n${whole}`,
        )
    }
  })

const types: Readonly<Record<string, string>> = {
  'Crash on resume with two displays and HDR; older drivers are fine.': 'issue',
  'Webhooks time out after 5 s and are retried 8 times.': 'fact',
  'Tabs, not spaces.': 'preference',
  'Uploads above 20 MB get rejected, no exceptions.': 'rule',
  'Maps from before 2.0 crash the editor. Ticket ED-99, still open': 'issue',
  'The CRM exports dates as MM/DD although the manual says ISO. Vendor is informed, no ETA.': 'issue',
  'raft on node db-2 elects for ages, the leader flaps around 02:00.': 'issue',
  'Pls give me SQL in lower case, old habit': 'preference',
  'Postmortem OPS-17: one missing index brought the queue down.': 'learning',
  'Spent the weekend learning that goroutines leak if nobody closes the channel; every one needs it.':
    'learning',
  'Discussed with legal on 2026-04-02, outcome: we keep invoices for 10 years.': 'decision',
  'Opsgenie -> Grafana OnCall (since May 2026, too expensive)': 'decision',
  'Exports over 2 GB come out empty': 'issue',
  'Reports larger than 50 pages arrive without a table of contents': 'issue',
  'Chapters vanish on tablets when the file has two tags': 'issue',
  'The gateway answers with an empty body if the header is missing': 'issue',
  'Late orders are dropped if the till is offline': 'issue',
  'Uploads bigger than 10 MB fail behind the old proxy': 'issue',
  'Appointments show up an hour late in summer': 'issue',
  'The report runs twice a day': 'fact',
  'Caching only helps above 500 users': 'learning',
  'An index does not help below 10k rows': 'learning',
  'Prices are integers in cents, never floats': 'rule',
  'Live tracking stops after 10 minutes on Android phones': 'issue',
  'The child stops after 10 minutes': 'fact',
  'Opening a save from before 0.8 crashes in the loader': 'issue',
  'Lesson from last week: two writers corrupt the file': 'learning',
  'Leaflet is out, the new viewer is MapLibre GL 5': 'decision',
  'Vonage dropped, calls go over Foundry now': 'decision',
  'Staying on Helm 3 for now': 'decision',
  'Alerts without an owner get deleted': 'rule',
  'Motors off while flashing': 'rule',
  'When the lag grows run `shop reindex --all` and watch the queue': 'procedural',
  'From May 2026 Foundry replaces the old Vonage lines': 'decision',
}

test('faults without a failing verb, and what was tried, get their types (rules.md 1.2)', t => {
  for (const [text, type] of Object.entries(types)) t.is(typeOfNote(text), type as never, text)
})
