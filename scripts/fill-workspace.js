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
const regions = ['Frankfurt', 'Dublin', 'Oregon', 'Singapore']
const days = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday']
const harnesses = ['claude-code', 'codex', 'opencode', 'gemini']

/** Each takes `pick`, which chooses from a list, and a number. */
const sentences = [
  (pick, number) => `${pick(services)} listens on port ${8000 + (number % 900)}.`,
  pick => `${pick(services)} stores its data in ${pick(stores)}.`,
  pick => `${pick(services)} depends on ${pick(services)}.`,
  pick => `${pick(people)} owns ${pick(services)}.`,
  (pick, number) => `We decided to move ${pick(services)} to ${pick(stores)} in sprint ${number % 40}.`,
  pick => `Never deploy ${pick(services)} on a ${pick(days)} afternoon.`,
  (pick, number) =>
    `Fixed: ${pick(services)} retried ${2 + (number % 7)} times when ${pick(stores)} was slow.`,
  (pick, number) => `The timeout of ${pick(services)} is ${5 + (number % 55)} seconds.`,
  pick => `${pick(services)} runs in ${pick(regions)}.`,
  pick => `Use pnpm, not npm, in ${pick(services)}.`,
  (pick, number) => `The ${pick(services)} tests need ${1 + (number % 6)} GB of memory.`,
  pick => `${pick(people)} prefers small pull requests for ${pick(services)}.`,
]

/** Numbers that look random and are the same each time. */
function numbersFrom(seed) {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state
  }
}

/**
 * @param {string} url of the daemon
 * @param {string} folder for notes and logs
 * @param {{ memories?: number, sessions?: number, notes?: number }} [counts]
 */
export async function fillWorkspace(url, folder, { memories = 3000, sessions = 60, notes = 40 } = {}) {
  const next = numbersFrom(7)
  const pick = list => list[Math.floor(next() / 65_536) % list.length]
  const sentence = number => pick(sentences)(pick, number)
  const post = async (path, body) => {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return response.json()
  }
  const hour = 3_600_000
  const now = Date.now()
  for (let number = 0; number < memories; number++) {
    const at = new Date(now - (memories - number) * 0.6 * hour).toISOString()
    const project = join(folder, pick(projects))
    await post('/api/memory/remember', {
      content: `${sentence(number)} (note ${number})`,
      project,
      who: pick([...harnesses, 'maya']),
      createdAt: at,
      ...(number % 211 === 0 && { pinned: true }),
    })
  }
  for (let number = 0; number < sessions; number++) {
    const cwd = join(folder, pick(projects))
    const session = { harness: pick(harnesses), sessionKey: `session-${number}`, project: cwd }
    await post('/api/hooks/session-start', session)
    for (let turn = 0; turn < 3; turn++) {
      const service = pick(services)
      await post('/api/hooks/user-prompt-submit', {
        ...session,
        userMessage: `Why is ${service} slow today?`,
      })
      await post('/api/hooks/recall', { ...session, query: `${service} timeout and owner` })
    }
    const transcript = Array.from({ length: 6 }, (_none, turn) => [
      `User: ${pick(['Why is', 'Who owns', 'Where runs'])} ${pick(services)}? (${number}, ${turn})`,
      `Assistant: ${sentence(number + turn)} I changed the configuration and ran the tests.`,
    ])
    await post('/api/hooks/session-end', { ...session, transcript: transcript.flat().join('\n\n') })
  }
  const vault = join(folder, 'vault')
  mkdirSync(join(vault, '.obsidian'), { recursive: true })
  for (let number = 0; number < notes; number++) {
    const title = `${pick(services)} ${number}`
    const lines = Array.from({ length: 8 }, () => `- ${sentence(number)}`)
    writeFileSync(
      join(vault, `${title}.md`),
      `# ${title}\n\nSee [[${pick(services)}]].\n\n${lines.join('\n')}\n`,
    )
  }
  await post('/api/sources/notevault', { path: vault, name: 'Team notes' })
  await post('/api/dream/trigger', {})
}
