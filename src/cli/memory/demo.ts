import type { Address, Reply, Request } from '../../contract/api.js'
import { countOf } from '../../lib/text/count-of.js'
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
