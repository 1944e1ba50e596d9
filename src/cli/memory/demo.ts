import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Address, Reply, Request } from '../../contract/api.js'
import { taskHarness } from '../../contract/ground/wire-names.js'
import { countOf } from '../../lib/text/count-of.js'
import { type WorkspacePaths, workspacePaths } from '../../lib/workspace/paths.js'
import { type Colors, shownId } from '../terminal/output.js'
import { clipText, formatMs, plainLine, wrapText } from '../terminal/text.js'
import { highlight, queryStems } from './highlight.js'

type RememberBody = NonNullable<Request<'POST /api/memory/remember'>['body']>

/** Memories of a fictitious team, collected over a month. */
export const demoMemories: readonly RememberBody[] = [
  {
    content:
      'We decided to keep the billing tables in PostgreSQL 16; MySQL was rejected because it has no partial indexes.',
    tags: 'billing,database',
  },
  {
    content:
      'To deploy the API, tag the commit, let the canary run for ten minutes, then promote it to production.',
    type: 'procedural',
    tags: 'release',
  },
  {
    content:
      'The login test is a known problem on CI: the fake clock starts before the session cookie is set, so it fails at random.',
    tags: 'tests,ci',
  },
  {
    content: 'critical: Never log access tokens or cookies; the redaction list is in src/http/redact.ts.',
    tags: 'security',
  },
  { content: 'Maya prefers small pull requests with one reviewer over long-lived branches.', tags: 'team' },
  {
    content:
      'Learned that the staging cache drops its keys after 15 minutes; long imports have to refresh theirs.',
    tags: 'staging',
  },
  { content: 'Invoice numbers are counted per country and start again every January.', tags: 'billing' },
  {
    content: 'Rotate the signing keys with scripts/rotate-keys.sh; the old key stays valid for one day.',
    type: 'procedural',
    tags: 'security',
  },
  {
    content: 'A tenant is one paying company; a workspace belongs to exactly one tenant.',
    type: 'semantic',
  },
  { content: 'Agreed to drop Node 18 with the June release.', tags: 'release' },
]

/**
 * Questions in other words than the memories. They share word stems with them, so they also work without a
 * model.
 */
export const demoQuestions = [
  'which database holds our billing tables?',
  'how do deployments get promoted?',
  'why are the login tests failing?',
] as const

/** Reason for forgetting the answer to the last question. */
const demoReason = 'fixed: the clock starts after the cookie now'

const answerIndent = ' '.repeat(23)

export interface DemoDeps {
  call: <A extends Address>(address: A, request?: Request<A>) => Promise<Reply<A>>
  /** Prints one line for a person. */
  say: (line: string) => void
  colors: Colors
  width: number
  /** Milliseconds of a monotonic clock. */
  now: () => number
  signal: AbortSignal
}

export interface DemoAnswer {
  question: string
  method: string
  ms: number
  /** The best answer; null if there is none. */
  best: { id: string; score: number; type: string; content: string } | null
}

/** Output of `demo --json`. */
export interface DemoResult {
  startMs: number
  embedding: string
  saved: number
  saveMs: number
  answers: DemoAnswer[]
  forgotten: { id: string; foundAfter: boolean; foundAfterRecovery: boolean }
  /** Folder of a kept demo. */
  workspace?: string
}

const session = { harness: 'claude-code', sessionKey: 'demo-session', project: '/home/maya/shop' } as const
const prompts = ['Add a column for the tax rate to the billing tables', 'How do I get the API to production?']

const notes: Readonly<Record<string, string>> = {
  'Billing.md': '# Billing\n\nInvoices are made at night by the [[Import]] job, country by country.\n',
  'Import.md': '# Import\n\nLong imports refresh their keys in the staging cache every ten minutes.\n',
  'Releases.md': '# Releases\n\n- June: Node 18 is dropped\n- July: the new search\n',
}

type Operations = NonNullable<Request<'POST /api/ontology/operations'>['body']>['operations']

/** Environment of the demo: a free port, no download, and nothing that refers to the user's own daemon. */
const demoEnvironment = {
  SERVICE_HOST: '127.0.0.1',
  SERVICE_PORT: '0',
  SERVICE_EMBEDDING_DOWNLOAD: '0',
  SERVICE_DAEMON_URL: undefined,
  SERVICE_NO_AUTOSTART: undefined,
  SERVICE_API_KEY: undefined,
  SERVICE_TOKEN: undefined,
} as const

const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** If the demo was killed with -9, its daemon ends after this long without a request. */
const settings = 'daemon:\n  idleTimeoutMs: 60000\n'
/** A kept demo runs next to the user's daemon, which has the default port. */
const settingsToKeep = '# A workspace of memory demo --keep.\ndaemon:\n  port: 0\n'

/** Fills a kept demo with sessions, facts, notes and more, so that each page of the web page has content. */
export async function fillDemo({ call }: Pick<DemoDeps, 'call'>, root: string): Promise<void> {
  await workInSession(call)
  await call('POST /api/ontology/operations', { body: { operations: await demoOperations(call) } })
  await addNotes(call, root)
  await call('POST /api/tasks', {
    body: {
      name: 'Look through the notes',
      prompt: 'Read what was noted this week and say what is out of date.',
      cronExpression: '0 9 * * 1',
      harness: taskHarness.claudeCode,
      // A demo must not start programs.
      enabled: false,
    },
  })
  await call('POST /api/agents', { body: { name: 'reviewer', read_policy: 'shared' } })
  const message = { from_agent_id: 'reviewer', to_agent_id: 'default', type: 'question' } as const
  await call('POST /api/cross-agent/messages', {
    body: { ...message, content: 'Please look at the tax rate before Friday.' },
  })
  const secret = { params: { name: 'DEMO_API_KEY' }, body: { value: 'only-a-demo' } }
  await call('POST /api/secrets/:name', secret)
}

async function workInSession(call: DemoDeps['call']): Promise<void> {
  await call('POST /api/hooks/session-start', { body: session })
  for (const userMessage of prompts) {
    await call('POST /api/hooks/user-prompt-submit', { body: { ...session, userMessage } })
    await call('POST /api/hooks/recall', { body: { ...session, query: userMessage, project: null } })
  }
}

/** Returns operations for two related entities, each based on a memory. */
async function demoOperations(call: DemoDeps['call']): Promise<Operations> {
  const { memories } = await call('GET /api/memories', { query: { limit: 50 } })
  const evidenceFrom = (quote: string) => {
    const sourceId = memories.find(({ content }) => content.includes(quote))?.id ?? ''
    return {
      reason: 'the demo',
      confidence: 0.9,
      evidence: [{ sourceKind: 'memory' as const, sourceId, quote }],
    }
  }
  const tables = evidenceFrom('keep the billing tables in PostgreSQL 16')
  const invoices = evidenceFrom('Invoice numbers are counted per country')
  const value = { entity: 'billing', aspect: 'storage', claim: 'database', value: 'PostgreSQL 16' }
  const numbers = { entity: 'billing', aspect: 'invoices', claim: 'numbered by', value: 'country' }
  return [
    { operation: 'create_entity', payload: { name: 'billing', type: 'component' }, ...tables },
    { operation: 'create_entity', payload: { name: 'PostgreSQL', type: 'technology' }, ...tables },
    { operation: 'assert_claim', payload: value, ...tables },
    { operation: 'assert_claim', payload: numbers, ...invoices },
    { operation: 'link', payload: { from: 'billing', relation: 'stored in', to: 'PostgreSQL' }, ...tables },
  ] as Operations
}

async function addNotes(call: DemoDeps['call'], root: string): Promise<void> {
  const folder = join(root, 'notes')
  await mkdir(join(folder, '.obsidian'), { recursive: true })
  for (const [name, text] of Object.entries(notes)) await writeFile(join(folder, name), text)
  await call('POST /api/sources/notevault', { body: { path: folder, name: 'Notes of the demo' } })
}

/**
 * Demonstrates the main features: start, save, recall in other words, forget, recover.
 * @throws the signal's reason once it is aborted, which is checked between the short steps.
 */
export async function runDemo(deps: DemoDeps): Promise<DemoResult> {
  const { startMs, embedding } = await start(deps)
  const saveMs = await saveAll(deps)
  heading(deps, '3', 'Ask in other words')
  const answers: DemoAnswer[] = []
  for (const question of demoQuestions) answers.push(await ask(deps, question))
  const forgotten = await forgetAndRecover(deps, answers.at(-1)!)
  return { startMs, embedding, saved: demoMemories.length, saveMs, answers, forgotten }
}

async function start(deps: DemoDeps): Promise<{ startMs: number; embedding: string }> {
  const { call, say, now } = deps
  heading(deps, '1', 'Start a daemon')
  const began = now()
  const { pid, port, embedding } = await call('GET /api/status')
  const startMs = now() - began
  say(`   ready in ${formatMs(startMs)}: pid ${pid}, port ${port}`)
  say(
    embedding.available
      ? `   recall combines keyword and semantic search (${embedding.model})`
      : `   recall uses keyword search only: embedding is ${embedding.state} (memory embedding status)`,
  )
  return { startMs, embedding: embedding.state }
}

async function saveAll(deps: DemoDeps): Promise<number> {
  const { call, say, now, colors, width } = deps
  heading(deps, '2', `Save ${countOf(demoMemories.length, 'memory', 'memories')}`)
  let total = 0
  for (const body of demoMemories) {
    const began = now()
    const saved = await call('POST /api/memory/remember', { body })
    total += now() - began
    const pin = saved.pinned ? ' (pinned)' : ''
    const text = clipText(plainLine(saved.content), width - 15 - pin.length)
    say(`   ${colors.cyan(saved.type.padEnd(10))}  ${text}${colors.yellow(pin)}`)
  }
  say(colors.dim(`   ${formatMs(total / demoMemories.length)} each`))
  return total
}

/** Asks a question and shows the best answer with its score and time. */
async function ask(deps: DemoDeps, question: string): Promise<DemoAnswer> {
  const { call, say, now, colors, width } = deps
  const began = now()
  const { results, method } = await call('POST /api/memory/recall', { body: { query: question, limit: 3 } })
  const ms = now() - began
  say(
    `   ${colors.bold(`? ${question}`)}  ${colors.dim(`${formatMs(ms)}, ${method === 'hybrid' ? 'keyword and semantic' : method}`)}`,
  )
  const [row] = results
  if (!row) say(colors.dim('     nothing found'))
  else {
    const mark = (word: string) => colors.bold(colors.yellow(word))
    const lines = wrapText(plainLine(row.content), width - answerIndent.length)
    const [first, ...rest] = lines.map(line => highlight(line, queryStems(question), mark))
    say(`     ${colors.green(row.score.toFixed(2))}  ${colors.cyan(row.type.padEnd(10))}  ${first}`)
    for (const line of rest) say(answerIndent + line)
  }
  const best = row ? { id: row.id, score: row.score, type: row.type, content: row.content } : null
  return { question, method, ms, best }
}

async function forgetAndRecover(deps: DemoDeps, answer: DemoAnswer): Promise<DemoResult['forgotten']> {
  const { call, say, colors } = deps
  if (!answer.best) throw new Error(`the demo found nothing for "${answer.question}"`)
  const { id } = answer.best
  heading(deps, '4', 'Forget that answer, then bring it back')
  await call('DELETE /api/memory/:id', { params: { id }, body: { reason: demoReason } })
  say(`   forgot ${shownId(id)} ${colors.dim(`(${demoReason})`)}`)
  const after = await ask(deps, answer.question)
  await call('POST /api/memory/:id/recover', { params: { id }, body: { reason: 'still needed' } })
  say(`   recovered ${shownId(id)}`)
  const again = await ask(deps, answer.question)
  return { id, foundAfter: after.best?.id === id, foundAfterRecovery: again.best?.id === id }
}

function heading({ say, colors, signal }: DemoDeps, number: string, text: string): void {
  signal.throwIfAborted()
  say('')
  say(colors.bold(`${number}. ${text}`))
}

/**
 * Runs `use` with a temporary workspace. Afterwards its daemon is stopped and the folder deleted, unless it
 * is to be kept and no error occurred. Ctrl-C aborts the signal, which `use` checks between its steps.
 */
export async function withDemoWorkspace<T>(
  { keep }: { keep: boolean },
  use: (paths: WorkspacePaths, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const own = workspacePaths()
  const paths = workspacePaths(await mkdtemp(join(tmpdir(), 'memory-demo-')))
  const restore = replaceEnvironment({ ...demoEnvironment, SERVICE_WORKSPACE: paths.root })
  const aborter = new AbortController()
  let isKept = false
  const abort = () => aborter.abort()
  for (const signal of stopSignals) process.on(signal, abort)
  try {
    await writeFile(paths.settings, keep ? settingsToKeep : settings, { mode: 0o600 })
    await shareModels(own, paths)
    const result = await use(paths, aborter.signal)
    isKept = keep
    return result
  } finally {
    await stop(paths)
    if (!isKept) await rm(paths.root, { recursive: true, force: true, maxRetries: 5 })
    for (const signal of stopSignals) process.off(signal, abort)
    restore()
  }
}

/** Links an already downloaded model, which is neither copied nor changed. */
async function shareModels(own: WorkspacePaths, paths: WorkspacePaths): Promise<void> {
  await mkdir(paths.daemonDir, { mode: 0o700 })
  if (existsSync(own.models)) await symlink(own.models, paths.models, 'junction')
}

async function stop(paths: WorkspacePaths): Promise<void> {
  const [{ stopWorkspaceDaemon }, { isAlive, readRegistration }] = await Promise.all([
    import('../../client/daemon/stop-daemon.js'),
    import('../../lib/workspace/registration.js'),
  ])
  try {
    await stopWorkspaceDaemon(paths.root)
  } catch {
    // The daemon hangs. Its data is about to be deleted anyway, and a demo must not leave a process behind.
    const pid = readRegistration(paths.registration)?.pid
    if (pid && isAlive(pid)) process.kill(pid, 'SIGKILL')
  }
}

function replaceEnvironment(values: Readonly<Record<string, string | undefined>>): () => void {
  const before = Object.fromEntries(Object.keys(values).map(name => [name, process.env[name]]))
  const assign = (environment: Readonly<Record<string, string | undefined>>) => {
    for (const [name, value] of Object.entries(environment)) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  }
  assign(values)
  return () => assign(before)
}
