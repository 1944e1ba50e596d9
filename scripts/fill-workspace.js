// Fills a workspace as some months of work would: memories of four projects, conversations, notes and
// sessions with hooks. The same numbers give the same texts.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const projects = ['shop', 'billing-api', 'mobile-app', 'infra']
const services = [
  'checkout',
  'invoices',
  'search',
  'sessions',
  'catalogue',
  'reports',
  'gateway',
  'mailer',
  'ledger',
  'imports',
]
const stores = ['PostgreSQL 16', 'Redis', 'SQLite', 'Kafka', 'S3', 'RabbitMQ', 'ClickHouse']
const people = ['Maya Lindqvist', 'Tomas Okafor', 'Ines Duarte', 'Jonas Weber', 'Priya Raman']
const days = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday']
const records = ['orders', 'invoices', 'carts', 'receipts', 'sessions', 'prices', 'refunds', 'exports']
const harnesses = ['claude-code', 'codex', 'opencode', 'gemini']

/** Each takes `pick`, which chooses from a list, and a number. Most of them agree on a service. */
const sentences = [
  (_pick, number) => `${serviceOf(number)} listens on port ${portOf(number)}.`,
  (pick, number) => storage(number, pick(records)),
  (pick, number) => `${serviceOf(number)} depends on ${serviceOf(number + 3)} for ${pick(records)}.`,
  (_pick, number) => `${people[(number % services.length) % people.length]} owns ${serviceOf(number)}.`,
  (pick, number) => `Decided in sprint ${number % 60}: ${storage(number, pick(records))}`,
  (_pick, number) => `Never deploy ${serviceOf(number)} on a ${days[number % days.length]} afternoon.`,
  (pick, number) =>
    `Fixed #${400 + number}: ${serviceOf(number)} retried ${2 + (number % 7)} times when ${pick(stores)} was slow.`,
  (pick, number) =>
    `Learned in #${number} that the ${pick(records)} test of ${serviceOf(number)} needs a warm cache.`,
  (pick, number) =>
    `Release 2.${number % 900} of ${serviceOf(number)} changed how ${pick(records)} are read.`,
  (_pick, number) => `Use pnpm, not npm, in ${serviceOf(number)}.`,
  (pick, number) => `The ${pick(records)} import of ${serviceOf(number)} took ${3 + (number % 50)} minutes.`,
  (pick, number) => `${pick(people)} reviewed #${number}: ${pick(records)} of ${serviceOf(number)}.`,
  (_pick, number) => `To release ${serviceOf(number)}, wait for the nightly check, tag it, then promote it.`,
  (pick, number) => `The ${pick(records)} test of ${serviceOf(number)} is flaky (run ${number}).`,
]

function storage(number, kept) {
  const place = stores[(number % services.length) % stores.length]
  return `${serviceOf(number)} keeps its ${kept} in ${place}.`
}

/** Now and then another one was said. */
function portOf(number) {
  return 8000 + (number % services.length) + (number % 41 === 0 ? 100 : 0)
}

/** Prompts of people to agents. */
const prompts = [
  pick => `Why is ${pick(services)} slow today?`,
  pick => `Who owns the ${pick(records)} of ${pick(services)}?`,
  pick => `Add a timeout to the ${pick(records)} import of ${pick(services)}`,
  pick => `Where does ${pick(services)} keep its ${pick(records)}?`,
  pick => `Fix the flaky ${pick(records)} test of ${pick(services)}`,
  pick => `How do we release ${pick(services)}?`,
]

function serviceOf(number) {
  return services[number % services.length]
}

const dayMs = 24 * 60 * 60 * 1000
/** Time between two prompts of a session. */
const turnMs = 90_000

/** Numbers that look random and are the same each time. */
function numbersFrom(seed) {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state
  }
}

/**
 * @typedef {object} FillOptions
 * @property {number} [memories]
 * @property {number} [sessions]
 * @property {number} [notes]
 * @property {number} [days] over which the work is spread
 * @property {(backMs: number) => Promise<void>} [moveClock] sets the daemon's clock back
 */

/**
 * @param {string} url of the daemon
 * @param {string} folder for projects, notes and logs
 * @param {FillOptions} [options]
 */
export async function fillWorkspace(url, folder, options = {}) {
  const { memories = 3000, sessions = 60, notes = 40, days: spread = 30 } = options
  const next = numbersFrom(7)
  const pick = list => list[Math.floor(next() / 65_536) % list.length]
  const clock = createClock(options.moveClock)
  const work = { post: poster(url), pick, folder, clock, said: new Set() }
  for (const project of projects) mkdirSync(join(folder, project, '.git'), { recursive: true })
  for (let day = spread - 1; day >= 0; day--) {
    await clock.goBack(day * dayMs + dayMs / 4)
    // Less on some days than on others.
    const share = [1.4, 1.2, 0.6, 1.3, 1, 0.3, 1.2][day % 7] / spread
    for (let count = Math.ceil(memories * share); count > 0; count--) await saveMemory(work, next() % 5000)
    for (let count = Math.round(sessions * share); count > 0; count--) await holdSession(work, next() % 5000)
  }
  const vault = join(folder, 'vault')
  mkdirSync(join(vault, '.obsidian'), { recursive: true })
  for (let number = 0; number < notes; number++) writeNote(vault, pick, number)
  await work.post('/api/sources/notevault', { path: vault, name: 'Team notes' })
  await work.post('/api/dream/trigger', {})
  await clock.goBack(turnMs * 10)
  for (const name of ['session-live-1', 'session-live-2']) await holdSession(work, next() % 5000, name)
  await clock.goBack(0)
}

/** The daemon's clock, which runs behind, or the true one. */
function createClock(moveClock) {
  let back = 0
  const goBack = async ms => {
    if (!moveClock) return
    back = ms
    await moveClock(ms)
  }
  return { now: () => Date.now() - back, goBack, pass: ms => goBack(Math.max(0, back - ms)) }
}

function poster(url) {
  return async (path, body) => {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return response.json()
  }
}

async function saveMemory({ post, pick, folder, said }, number) {
  let content = pick(sentences)(pick, number)
  for (let further = number; said.has(content); further += 13) content = pick(sentences)(pick, further)
  said.add(content)
  await post('/api/memory/remember', {
    content,
    project: join(folder, pick(projects)),
    who: pick([...harnesses, 'maya']),
    ...(number % 411 === 0 && { pinned: true }),
  })
}

/** A session with hooks; its transcript has their times. One with a name is still open. */
async function holdSession({ post, pick, folder, clock }, number, name) {
  const cwd = join(folder, pick(projects))
  const session = { harness: pick(harnesses), sessionKey: name ?? `session-${number}`, project: cwd }
  await post('/api/hooks/session-start', session)
  const transcript = []
  const say = (role, text) => transcript.push({ role, text, at: new Date(clock.now()).toISOString() })
  for (let turn = 0; turn < 3; turn++) {
    await clock.pass(turnMs)
    const text = pick(prompts)(pick)
    say('user', text)
    await post('/api/hooks/user-prompt-submit', { ...session, userMessage: text })
    await post('/api/hooks/recall', { ...session, query: text })
    const learnt = pick(sentences)(pick, number + turn)
    await post('/api/hooks/remember', { ...session, content: learnt })
    say('assistant', `${learnt} I changed the configuration and ran the tests.`)
  }
  if (!name) await post('/api/hooks/session-end', { ...session, transcript })
}

function writeNote(vault, pick, number) {
  const title = `${serviceOf(number)} ${number}`
  const lines = Array.from({ length: 8 }, (_none, line) => `- ${pick(sentences)(pick, number + 10 * line)}`)
  const text = `# ${title}\n\nSee [[${pick(services)}]].\n\n${lines.join('\n')}\n`
  writeFileSync(join(vault, `${title}.md`), text)
}
