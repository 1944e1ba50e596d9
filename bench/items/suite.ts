import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type ItemKind, itemKinds } from '../../src/contract/memory/memory.js'
import { type MeasuredDaemon, startMeasuredDaemon } from '../daemon/daemon-process.js'
import { startFakeProvider } from '../daemon/fake-provider.js'
import { fillWorkspace, temporaryWorkspace } from '../daemon/workspace.js'
import { percentile } from '../index/measure.js'
import { subjects } from './subjects.js'

export interface ItemsSuiteResult {
  /** Questions of each kind, and those whose answer is among the first three, and first. */
  kinds: { kind: ItemKind; questions: number; firstThree: number; first: number; missed: string[] }[]
  sizes: { memories: number; sessions: number; passages: number }
  /** Milliseconds over HTTP, in turns. */
  times: { call: string; p50Ms: number; p95Ms: number }[]
}

const rounds = 100
const sectionsPerDocument = 100

/** Asks questions to a workspace in which all kinds compete, and measures a search beside a recall. */
export async function runItemsSuite({
  memories = 100_000,
  sessions = 1000,
  passages = 10_000,
}: {
  memories?: number
  sessions?: number
  passages?: number
} = {}): Promise<ItemsSuiteResult> {
  const sizes = { memories, sessions, passages }
  return { kinds: await askQuestions(), sizes, times: memories > 0 ? await measureTimes(sizes) : [] }
}

async function askQuestions(): Promise<ItemsSuiteResult['kinds']> {
  const workspace = temporaryWorkspace({})
  await fillWorkspace(workspace.folder, 1000, { vectors: false })
  const folder = mkdtempSync(join(tmpdir(), 'memory-bench-items-'))
  const daemon = await startMeasuredDaemon(workspace.folder)
  try {
    await saveSubjects(daemon, folder)
    return await Promise.all(itemKinds.map(kind => askKind(daemon, kind)))
  } finally {
    await daemon.stop()
    workspace.remove()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function askKind({ ask }: MeasuredDaemon, kind: ItemKind): Promise<ItemsSuiteResult['kinds'][number]> {
  const ranks: { question: string; rank: number }[] = []
  for (const subject of subjects) {
    const { question } = subject[kind]
    const text = kind === 'entity' ? subject.entity.name : (subject[kind].text.split(':')[0] as string)
    const { body } = await ask('POST', '/api/search', { query: question, limit: 20 })
    const found = body.items as { kind: ItemKind; title: string; text: string }[]
    const isMeant = (item: (typeof found)[number]) =>
      item.kind === kind && `${item.title} ${item.text}`.includes(text)
    ranks.push({ question, rank: found.findIndex(isMeant) })
  }
  const within = (most: number) => ranks.filter(({ rank }) => rank >= 0 && rank < most).length
  return {
    kind,
    questions: ranks.length,
    firstThree: within(3),
    first: within(1),
    missed: ranks
      .filter(({ rank }) => rank < 0 || rank >= 3)
      .map(({ question, rank }) => `${question} (${rank + 1})`),
  }
}

/** Saves each kind as its own program does. */
async function saveSubjects(daemon: MeasuredDaemon, folder: string): Promise<void> {
  const { ask } = daemon
  const put = (path: string, text: string): void => writeFileSync(join(folder, path), text)
  for (const path of ['vault/.obsidian', 'code']) mkdirSync(join(folder, path), { recursive: true })
  for (const [number, { memory, session, note, document, code, entity }] of subjects.entries()) {
    await ask('POST', '/api/memory/remember', { content: memory.text })
    await saveEntity(daemon, entity)
    await saveSession(daemon, `s${number}`, `user: ${session.question}?\nassistant: ${session.text}`)
    await saveDocument(daemon, `Page ${number}`, document.text)
    put(`vault/Note ${number}.md`, note.text)
    const [name, doc] = code.text.split(': ')
    put(`code/module${number}.ts`, `/** ${doc} */\nexport function ${name}(): void {}\n`)
  }
  await ask('POST', '/api/sources/notevault', { path: join(folder, 'vault') })
  await ask('PATCH', '/api/plugins/service.codeindex', { enabled: true })
  await ask('POST', '/api/code/index', { project: join(folder, 'code'), named: true })
  const last = subjects.at(-1)
  for (const kind of ['note', 'code', 'session', 'document'] as const)
    await foundBy(daemon, last?.[kind].text ?? '', kind)
  // Documents are read one after another, and the first one found says nothing of the others.
  await settled(daemon, subjects.length)
}

async function saveEntity({ ask }: MeasuredDaemon, entity: (typeof subjects)[number]['entity']) {
  const [aspect, claim, value] = entity.slot
  const content = `${entity.name}: ${claim} is ${value}.`
  const { body } = await ask('POST', '/api/memory/remember', { content })
  const evidence = [{ sourceKind: 'memory', sourceId: body.id, quote: content }]
  const common = { reason: 'bench', confidence: 0.9, evidence }
  const payload = { entity: entity.name, aspect, claim, value }
  await ask('POST', '/api/ontology/operations', {
    operations: [
      { operation: 'create_entity', payload: { name: entity.name, type: entity.type }, ...common },
      { operation: 'assert_claim', payload, ...common },
    ],
  })
}

async function saveSession({ ask }: MeasuredDaemon, sessionKey: string, transcript: string): Promise<void> {
  await ask('POST', '/api/hooks/session-end', { harness: 'bench', sessionKey, transcript })
}

async function saveDocument({ ask }: MeasuredDaemon, title: string, content: string): Promise<void> {
  await ask('POST', '/api/documents', { source_type: 'text', title, content })
}

/** Waits until a search finds something of a kind. */
async function foundBy({ ask }: MeasuredDaemon, query: string, kind: ItemKind): Promise<void> {
  for (let waited = 0; waited < 600; waited++) {
    if ((await ask('POST', '/api/search', { query, kinds: [kind] })).body.total > 0) return
    await delay(200)
  }
  throw new Error(`no ${kind} was found within two minutes`)
}

async function measureTimes(sizes: ItemsSuiteResult['sizes']): Promise<ItemsSuiteResult['times']> {
  const provider = await startFakeProvider()
  const workspace = temporaryWorkspace(provider.settings)
  const words = await fillWorkspace(workspace.folder, sizes.memories)
  const daemon = await startMeasuredDaemon(workspace.folder)
  const { ask } = daemon
  const text = () => `${words.query()} ${words.query()} ${words.query()}`
  for (let n = 0; n < sizes.sessions; n++)
    await saveSession(daemon, `s${n}`, `user: ${text()}\nassistant: ${text()}\nuser: ${text()}`)
  const documents = Math.ceil(sizes.passages / sectionsPerDocument)
  for (let n = 0; n < documents; n++) {
    const sections = Array.from({ length: sectionsPerDocument }, (_, at) => `# Part ${n} ${at}\n\n${text()}`)
    await saveDocument(daemon, `Document ${n}`, sections.join('\n\n'))
  }
  await settled(daemon, documents)
  const calls: Record<string, (query: string) => Promise<{ ms: number }>> = {
    recall: query => ask('POST', '/api/memory/recall', { query }),
    'recall with elsewhere': query => ask('POST', '/api/memory/recall', { query, elsewhere: true }),
    search: query => ask('POST', '/api/search', { query }),
  }
  const times = new Map<string, number[]>()
  for (let round = -5; round < rounds; round++) {
    for (const [name, call] of Object.entries(calls)) {
      // Each call has its own query, so that none finds what another one cached.
      const { ms } = await call(words.query())
      if (round >= 0) times.set(name, [...(times.get(name) ?? []), ms])
    }
  }
  await daemon.stop()
  workspace.remove()
  provider.close()
  return [...times].map(([call, all]) => ({
    call,
    p50Ms: percentile(all, 0.5),
    p95Ms: percentile(all, 0.95),
  }))
}

/** Waits until the index has every row, and all documents are read. */
async function settled({ ask }: MeasuredDaemon, documents: number): Promise<void> {
  const isReady = async () => {
    const { index } = (await ask('GET', '/api/status')).body
    const { total } = (await ask('GET', '/api/documents?status=done&limit=1')).body
    return index.state === 'ready' && total === documents
  }
  while (!(await isReady())) await delay(500)
}

export function formatItemsSuite({ kinds, sizes, times }: ItemsSuiteResult): string {
  const lines = ['| kind | questions | in the first three | first |', '|---|--:|--:|--:|']
  for (const { kind, questions, firstThree, first } of kinds)
    lines.push(`| ${[kind, questions, firstThree, first].join(' | ')} |`)
  lines.push(
    '',
    ...kinds.flatMap(({ kind, missed }) => missed.map(question => `missed ${kind}: ${question}`)),
  )
  if (times.length === 0) return lines.join('\n')
  const { memories, sessions, passages } = sizes
  lines.push('', `${memories} memories, ${sessions} sessions, ${passages} passages:`, '')
  lines.push('| call | p50 ms | p95 ms |', '|---|--:|--:|')
  for (const { call, p50Ms, p95Ms } of times)
    lines.push(`| ${call} | ${p50Ms.toFixed(1)} | ${p95Ms.toFixed(1)} |`)
  return lines.join('\n')
}
