import type { ItemKind } from '../../src/contract/memory/memory.js'

/** A thing of one kind, and a question whose best answer it is. */
interface Answer {
  text: string
  question: string
}

/** One subject that each kind says something else about, so that kinds compete for every question. */
export interface Subject extends Record<Exclude<ItemKind, 'entity'>, Answer> {
  entity: {
    name: string
    type: string
    slot: [aspect: string, claim: string, value: string]
    question: string
  }
}

const given = (text: string, question: string): Answer => ({ text, question })
const entity = (
  name: string,
  type: string,
  slot: [aspect: string, claim: string, value: string],
  question: string,
): Subject['entity'] => ({ name, type, slot, question })

/** Invented; code texts are `name: documentation`. */
export const subjects: readonly Subject[] = [
  {
    memory: given(
      'Invoices are numbered per calendar year and never reused, even after a refund.',
      'may an invoice number be reused after a refund',
    ),
    session: given(
      'The PDF of invoice 2041 lost its footer because the template was cached by locale.',
      'why did an invoice pdf lose its footer',
    ),
    note: given(
      'Accountant asked for invoices as a monthly zip, one folder per customer.',
      'how does the accountant want the invoices delivered',
    ),
    document: given(
      'Overdue invoices are reminded after 14 days and handed to collection after 60 days.',
      'when does an overdue invoice go to collection',
    ),
    code: given(
      'roundInvoiceTotal: Rounds the sum of an invoice half to even in minor units.',
      'function that rounds the invoice total',
    ),
    entity: entity(
      'Invoice Service',
      'component',
      ['ownership', 'owner', 'Petra Lindqvist'],
      'owner of the Invoice Service',
    ),
  },
  {
    memory: given(
      'Search reindexing runs on Sunday night, because it saturates the disks.',
      'when do we reindex the search and why',
    ),
    session: given(
      'German umlauts were not matched since the analyzer folded them before stemming.',
      'umlauts were not matched in search, what was the cause',
    ),
    note: given(
      'Idea: let customers save their search filters as named views.',
      'idea about saved search filters',
    ),
    document: given(
      'The search cluster has three data nodes and two coordinators; a node needs 64 GB of memory.',
      'how much memory does a node of the search cluster need',
    ),
    code: given(
      'expandSynonyms: Adds synonyms to the terms of a search query.',
      'where are synonyms added to a search query',
    ),
    entity: entity(
      'Search Cluster',
      'system',
      ['operation', 'version', 'OpenSearch 2.11'],
      'which version does the Search Cluster run',
    ),
  },
  {
    memory: given(
      'Sessions of the admin console expire after fifteen minutes without activity.',
      'after how long does an admin console session expire',
    ),
    session: given(
      'The login loop in Safari came from a cookie without the SameSite attribute.',
      'login loop in Safari cookie',
    ),
    note: given(
      'Pen test report: password reset tokens should be single use and hashed at rest.',
      'what did the pen test say about password reset tokens',
    ),
    document: given(
      'Employees sign in with hardware keys; text messages are not accepted as a second factor.',
      'are text messages accepted as second factor for employees',
    ),
    code: given(
      'verifyLoginToken: Checks signature and expiry of a login token.',
      'code that checks the expiry of a login token',
    ),
    entity: entity('Identity Gateway', 'component', ['operation', 'port', '8443'], 'Identity Gateway port'),
  },
  {
    memory: given(
      'We chose RabbitMQ over Kafka for order events, since ordering per customer is enough.',
      'why RabbitMQ and not Kafka for order events',
    ),
    session: given(
      'Messages were delivered twice after the broker failover; the consumer now stores message ids.',
      'duplicate messages after broker failover',
    ),
    note: given(
      'Meeting with logistics: order events must carry the warehouse code.',
      'what does logistics need in order events',
    ),
    document: given(
      'A dead letter queue keeps rejected order events for thirty days before they are dropped.',
      'how long does the dead letter queue keep rejected events',
    ),
    code: given(
      'publishOrderEvent: Publishes an order event with the key of its customer.',
      'publish an order event',
    ),
    entity: entity(
      'Order Broker',
      'system',
      ['hosting', 'region', 'Frankfurt'],
      'in which region is the Order Broker',
    ),
  },
  {
    memory: given(
      'Never run migrations from a laptop; the deploy pipeline does it with a lock.',
      'may I run a migration from my laptop',
    ),
    session: given(
      'The migration hung because an open transaction of the reporting tool held the table lock.',
      'migration hung on a table lock, who held it',
    ),
    note: given(
      'Postgres 17 upgrade checklist: extension versions, replication slots, statistics.',
      'checklist for the Postgres 17 upgrade',
    ),
    document: given(
      'Backups of the main database are encrypted and restored into staging every first Monday.',
      'how often are database backups restored into staging',
    ),
    code: given(
      'acquireMigrationLock: Takes the advisory lock that serialises migrations.',
      'advisory lock for migrations in the code',
    ),
    entity: entity(
      'Main Database',
      'system',
      ['capacity', 'disk', '4 TB'],
      'disk capacity of the Main Database',
    ),
  },
  {
    memory: given(
      'The mobile app supports the last three major releases of iOS.',
      'which iOS releases does the mobile app support',
    ),
    session: given(
      'Push notifications stopped because the APNs certificate had expired on Saturday.',
      'why did push notifications stop',
    ),
    note: given(
      'User interview: people want the dark theme to follow the system setting in the app.',
      'what did users say about the dark theme',
    ),
    document: given(
      'App releases go to one percent of the users first and are halted above 0.5 percent crashes.',
      'at which crash rate is an app release halted',
    ),
    code: given(
      'scheduleBackgroundSync: Schedules the next background sync of the app.',
      'schedule the background sync',
    ),
    entity: entity(
      'Mobile App',
      'product',
      ['people', 'lead', 'Jonas Okafor'],
      'who is the lead of the Mobile App',
    ),
  },
  {
    memory: given(
      'Feature flags older than ninety days must be removed or get a written reason.',
      'how old may a feature flag become',
    ),
    session: given(
      'The checkout flag leaked into the canary since its default was read before the config loaded.',
      'checkout flag leaked into canary',
    ),
    note: given(
      'Comparison of flag vendors: two support audit logs, only one has offline evaluation.',
      'which flag vendors support offline evaluation',
    ),
    document: given(
      'Flags are named team, area and verb, joined by dots, for example pay.cart.enable.',
      'naming convention of feature flags',
    ),
    code: given(
      'evaluateFlag: Evaluates a feature flag for a user with its rollout percentage.',
      'function that evaluates a flag for a user with rollout percentage',
    ),
    entity: entity(
      'Flag Console',
      'product',
      ['access', 'address', 'flags.internal.example'],
      'address of the Flag Console',
    ),
  },
  {
    memory: given(
      'Images are resized at upload to four widths, and originals are kept in cold storage.',
      'what happens to original images after upload',
    ),
    session: given(
      'Thumbnails were rotated because the EXIF orientation was stripped before resizing.',
      'thumbnails rotated exif',
    ),
    note: given(
      'The designer wants focal points so that crops do not cut off faces.',
      'why does the designer want focal points',
    ),
    document: given(
      'The image CDN caches for one year; a new version of an image needs a new address.',
      'how long does the image CDN cache',
    ),
    code: given(
      'cropToFocalPoint: Crops an image around its focal point.',
      'crop an image around a focal point in code',
    ),
    entity: entity(
      'Image Pipeline',
      'component',
      ['implementation', 'language', 'Rust'],
      'Image Pipeline language',
    ),
  },
  {
    memory: given(
      'On-call hands over on Wednesday at ten, and the runbook is read together.',
      'when does on-call hand over',
    ),
    session: given(
      'The pager was silent at night since the alert rule compared seconds with milliseconds.',
      'the pager stayed silent at night, why',
    ),
    note: given(
      'Retrospective: too many alerts without an owner, delete those nobody acts on.',
      'retrospective about alerts without an owner',
    ),
    document: given(
      'A severity one incident needs a status page entry within ten minutes.',
      'how fast does a severity one incident need a status page entry',
    ),
    code: given(
      'silenceAlert: Silences an alert until a time, with the name of the person.',
      'silence an alert until a time',
    ),
    entity: entity(
      'Status Page',
      'system',
      ['contract', 'vendor', 'Beacon Ltd'],
      'vendor of the Status Page',
    ),
  },
  {
    memory: given('Unit tests may not sleep; use the fake clock of the test kit.', 'may a unit test sleep'),
    session: given(
      'The flaky cart test depended on the time zone of the build agent.',
      'flaky cart test time zone',
    ),
    note: given(
      'Talk about mutation testing: useful for pricing rules, too slow for the whole suite.',
      'is mutation testing useful for pricing rules',
    ),
    document: given(
      'A pull request needs two reviews if it touches payment code, otherwise one.',
      'how many reviews does payment code need',
    ),
    code: given(
      'freezeClock: Freezes the clock of a test at a given moment.',
      'helper that freezes the clock of a test',
    ),
    entity: entity(
      'Build Farm',
      'system',
      ['capacity', 'agents', '24 machines'],
      'how many machines has the Build Farm',
    ),
  },
]
