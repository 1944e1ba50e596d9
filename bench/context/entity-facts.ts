/** A project as a team knows it after some months: entities with facts, each with a key for the prompts. */
export interface KnownThing {
  name: string
  type: string
  aliases?: readonly string[]
  /** Key, aspect, claim, value; `!` before the aspect marks a rule. */
  facts: readonly (readonly [key: string, aspect: string, claim: string, value: string])[]
}

export const things: readonly KnownThing[] = [
  {
    name: 'parcel tracker',
    type: 'component',
    aliases: ['tracker', 'parcel-tracker'],
    facts: [
      ['t-owner', 'people', 'owner', 'Marta Lind'],
      ['t-db', 'storage', 'database', 'Postgres 15, schema parcels'],
      ['t-port', 'network', 'port', '7421'],
      ['t-deploy', 'deployment', 'deployed to', 'Fly.io, region fra'],
      ['t-pii', '!rules', 'recipient names', 'Never log the names or addresses of recipients'],
      [
        't-cron',
        '!rules',
        'restart',
        'Never restart it between 02:00 and 03:00, since the nightly import runs',
      ],
      ['t-queue', 'architecture', 'queue', 'NATS JetStream, subject parcel.events'],
      ['t-test', 'tests', 'runner', 'Vitest; integration tests need docker compose up nats'],
      ['t-lang', 'stack', 'language', 'TypeScript on Node 22'],
      ['t-flaky', 'problems', 'known issue', 'geofence.test.ts fails when TZ is not UTC; run it with TZ=UTC'],
    ],
  },
  {
    name: '@freight/rates',
    type: 'package',
    facts: [
      ['r-owner', 'people', 'maintainer', 'Jo Osei'],
      ['r-money', '!rules', 'amounts', 'Amounts are integers in minor units, never floats'],
      ['r-ver', 'releases', 'version', '4.2.0, published from main by a tag'],
      ['r-dep', 'stack', 'depends on', 'decimal.js and zod'],
      ['r-dec', 'decisions', 'rounding', 'Decided in ADR-009: round half to even, because customs does'],
      ['r-cache', 'architecture', 'cache', 'Rates are cached for 15 minutes in Redis under rates:v2'],
    ],
  },
  {
    name: 'Marta Lind',
    type: 'person',
    aliases: ['Marta', 'mlind'],
    facts: [
      ['m-role', 'work', 'role', 'leads the tracking team'],
      ['m-off', 'work', 'days off', 'does not work on Fridays'],
      ['m-pref', 'preferences', 'pull requests', 'wants pull requests under 300 lines'],
      ['m-mail', 'contact', 'email', 'marta@freight.example'],
    ],
  },
  {
    name: 'customs gateway',
    type: 'component',
    aliases: ['customs'],
    facts: [
      ['c-url', 'network', 'address', 'https://customs.int.freight.example/v3'],
      ['c-limit', 'limits', 'rate limit', '20 requests a second for all of us'],
      ['c-auth', 'security', 'credentials', 'mTLS; the certificate is in Vault under customs/client'],
      ['c-down', 'problems', 'known issue', 'answers 502 on the first Sunday of a month during maintenance'],
      ['c-retry', '!rules', 'retries', 'Never retry a declaration without its idempotency key'],
      ['c-owner', 'people', 'contact', 'Ilse Brandt at the broker'],
    ],
  },
  {
    name: 'label printer',
    type: 'component',
    facts: [
      ['l-proto', 'architecture', 'protocol', 'ZPL over TCP port 9100'],
      [
        'l-dec',
        'decisions',
        'replacement',
        'Decided on 3 March to drop PDF labels for ZPL, since printers stall',
      ],
      ['l-test', 'tests', 'test device', 'a Zebra ZD421 at 10.4.0.17 in the lab'],
      ['l-owner', 'people', 'owner', 'Sam Okafor'],
    ],
  },
  {
    name: 'web console',
    type: 'component',
    aliases: ['WebConsole'],
    facts: [
      ['w-stack', 'stack', 'framework', 'SolidJS with Vite'],
      ['w-style', '!rules', 'styling', 'Use the design tokens of @freight/ui, no hard-coded colours'],
      ['w-i18n', '!rules', 'texts', 'Every text goes through i18n; German is the source language'],
      ['w-e2e', 'tests', 'end-to-end tests', 'Playwright, run with npm run e2e against staging'],
      ['w-dep', 'deployment', 'deployed to', 'Cloudflare Pages from the branch release'],
    ],
  },
  {
    name: 'Go',
    type: 'language',
    facts: [['g-ver', 'stack', 'version', 'Go 1.23, pinned in go.mod of the importer']],
  },
]

/** A prompt with the facts that would help whoever does what it asks; none means that silence is right. */
export const entityPrompts: readonly (readonly [prompt: string, ...helps: string[]])[] = [
  ['who owns the parcel tracker?', 't-owner'],
  ["which port does the tracker's API listen on", 't-port'],
  ['add a retry to the upload of declarations to customs', 'c-retry', 'c-limit'],
  ['add a column delivered_at to the tracker database', 't-db'],
  ['write a log line when the parcel tracker cannot deliver', 't-pii'],
  ['deploy the parcel-tracker', 't-deploy', 't-cron'],
  ['restart the tracker please, it hangs', 't-cron'],
  ['the parcel tracker tests fail on my machine', 't-test', 't-flaky'],
  ['geofence test of ParcelTracker is red in CI, fix it', 't-flaky', 't-test'],
  ['publish an event to the queue when the parcel tracker sees a scan', 't-queue'],
  ['bump @freight/rates to the next version', 'r-ver'],
  ['why does @freight/rates round half to even?', 'r-dec'],
  ['compute the total amount with @freight/rates', 'r-money', 'r-dec'],
  ['how long are prices cached in @freight/rates', 'r-cache'],
  ['replace decimal.js, a dependency of freight/rates', 'r-dep', 'r-money'],
  ['ask @mlind for a review of this pull request', 'm-pref', 'm-off'],
  ["what is Marta's email", 'm-mail'],
  ['can Marta join the release on Friday', 'm-off'],
  ['what does Marta do', 'm-role', 'm-off', 'm-pref'],
  ['call the customs gateway from the declaration form', 'c-url', 'c-auth', 'c-limit', 'c-retry'],
  ['customs answers 502 since this morning', 'c-down'],
  ['rotate the credentials for the customs gateway', 'c-auth'],
  ['we hit the rate limit of the customs gateway', 'c-limit'],
  ['whom do I contact about customs gateways', 'c-owner'],
  ['print a test label on the label printer', 'l-test', 'l-proto'],
  ['why did we drop PDF for label printers?', 'l-dec'],
  ['who maintains the label printer code', 'l-owner'],
  ['open a connection to the label printer', 'l-proto', 'l-test'],
  ['add a dark theme with new colours to the web console', 'w-style'],
  ['add a settings page with two texts to WebConsole', 'w-i18n', 'w-style'],
  ['write an e2e test for the login of the web console', 'w-e2e'],
  ['where is the web console deployed', 'w-dep'],
  ['which Go version does the importer use', 'g-ver'],
  ['go on with the tests'],
  ['rename the variable in the parser'],
  ['write a regular expression for postal codes'],
  ['explain how event loops work'],
  ['let us go through the diff together'],
  ['make the button larger and centre it'],
  ['sort imports and run the formatter'],
]
