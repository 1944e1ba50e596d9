import { Readable } from 'node:stream'
import type { Reply } from '../../../contract/api.js'
import { type AppError, notFound } from '../../../contract/ground/errors.js'
import { clip, quoted } from '../../../lib/text/clip.js'
import { isWithinProject } from '../../../store/tables/memory/memory-filter.js'
import { nameKeyOf } from '../../../store/tables/sessions/sessions.js'
import type { ChunkRow } from '../../../store/tables/sessions/transcript-chunks.js'
import type { StoredMessage, TranscriptRow } from '../../../store/tables/sessions/transcripts.js'
import { sessionKeyOf } from '../../ground/sessions/session-key.js'
import { agentOf, type NamedAgent } from '../../ground/visibility/boundary.js'
import { type Caller, defaultAgent } from '../../ground/visibility/caller.js'
import { safetyOf } from '../../memory/records/record.js'
import type { Daemon } from '../../platform/daemon/daemon.js'

/** Characters of a message that are read for a title. */
export const openingLength = 2000

/** Maximum length of a title in UTF-16 units. */
const maxTitle = 80

/** Blocks that harnesses add to a prompt; the person did not write them. */
const addedBlocks =
  /<(system-reminder|environment_context|user_instructions|local-command-[a-z]+|command-(?:name|message|args|contents)|task-notification|ide_[a-z_]+|INSTRUCTIONS)\b[^>]*>[\s\S]*?(?:<\/\1>|$)/giu
/** Beginnings of messages that a harness writes in the name of the person. */
const notAPrompt =
  /^(?:caveat: the messages below|this session is being continued|\[request interrupted|# agents\.md instructions|<\/?[a-z][\w-]*>\s*$|\/(?:clear|compact|resume|model|login|help|exit|quit|init)\b)/iu

/** Keys of sub-agents: `agent:<id>:subagent:<id>`, `<key>:subagent:<id>` and similar. */
const subagent = /[:/]sub-?agents?[:/][^:/]+$/iu

/**
 * Streams the conversation of a session as JSON, since it may be long (rules.md 4.11).
 * @throws AppError `not_found` without a conversation visible to the caller.
 */
export async function sessionTranscript(
  deps: Pick<Daemon, 'store'>,
  caller: Caller,
  query: NamedAgent,
  key: string,
): Promise<Readable> {
  return Readable.from(pieces(deps, await findTranscript(deps, caller, query, key)))
}

/** @throws AppError `not_found` */
async function findTranscript(
  { store }: Pick<Daemon, 'store'>,
  caller: Caller,
  query: NamedAgent,
  key: string,
): Promise<TranscriptRow> {
  const agentId = agentOf(caller, query) ?? defaultAgent
  const row = await store.tables.transcripts.find({ agentId, sessionKey: sessionKeyOf(key) })
  if (row && mayRead(caller, row)) return row
  throw unknownTranscript(key)
}

function unknownTranscript(key: string): AppError {
  return notFound(
    `transcript of session ${quoted(key)} not found`,
    'list sessions with memory sessions list or memory sessions summaries',
  )
}

interface TurnsQuery extends NamedAgent {
  key: string
  /** Position of the first turn. */
  from: number
  limit: number
}

/** A session whose conversation is not stored yet. */
const withoutTurns = { capturedAt: null, title: null, forkOf: null, memories: 0, total: 0, turns: [] }

/** Longest text of a turn in a page. */
const maxTurn = 16_000

/**
 * Returns a page of turns, with what a reader needs to know about the session. It has none while its
 * conversation is not stored.
 * @throws AppError `not_found` without a session visible to the caller.
 */
export async function sessionTurns(
  deps: Pick<Daemon, 'store'>,
  caller: Caller,
  { key, from, limit, ...query }: TurnsQuery,
): Promise<Reply<'GET /api/sessions/:key/turns'>> {
  const name = { agentId: agentOf(caller, query) ?? defaultAgent, sessionKey: sessionKeyOf(key) }
  const { sessions, transcripts, sessionEvents, summaryNodes } = deps.store.tables
  const row = await transcripts.find(name)
  if (!row) {
    const known = (await sessions.find(name)) ?? (await sessionEvents.log(name))
    if (!known || !mayRead(caller, known)) throw unknownTranscript(key)
    const { project } = known
    const harness = 'harness' in known ? known.harness : 'unknown'
    return { ...name, ...withoutTurns, harness, project }
  }
  if (!mayRead(caller, row)) throw unknownTranscript(key)
  const safe = row.safety_status === 'clean' ? [row] : []
  const [openings, saved, forks, turns] = await Promise.all([
    transcripts.openings(safe, openingLength),
    sessionEvents.countSaved([name]),
    summaryNodes.forksOf([name]),
    readTurns(deps, row, { from, to: Math.min(row.messages, from + limit) - 1 }),
  ])
  return {
    sessionKey: row.session_key,
    agentId: row.agent_id,
    harness: row.harness,
    project: row.project,
    capturedAt: row.captured_at,
    title: titleOf(openings.get(row.body_id) ?? []) ?? null,
    forkOf: forks.get(nameKeyOf(row)) ?? null,
    memories: saved.get(nameKeyOf(row)) ?? 0,
    total: row.messages,
    turns: turns.map(shortened),
  }
}

/** Cuts off a very long text. */
export function shortened({ text, ...turn }: JudgedTurn): JudgedTurn {
  return { ...turn, text: text === null ? null : clip(text, maxTurn) }
}

/** A credential limited to a project sees only its conversations; one limited to a user sees none. */
export function mayRead({ access: { scope } }: Caller, { project }: Pick<TranscriptRow, 'project'>): boolean {
  return scope.user === undefined && isWithinProject(project, scope)
}

/** Positions of turns, both ends included. */
interface TurnRange {
  from: number
  to: number
}

/** A turn whose text is null if the safety check did not find it clean. */
export type JudgedTurn = Omit<StoredMessage, 'text'> & { text: string | null }

/** Reads some turns of a conversation with the verdicts of their passages. */
export async function readTurns(
  { store: { tables } }: Pick<Daemon, 'store'>,
  row: TranscriptRow,
  { from, to }: TurnRange,
): Promise<JudgedTurn[]> {
  const chunks = await tables.transcriptChunks.covering(row.body_id, { from, to })
  const turns: JudgedTurn[] = []
  for (let next = from; next <= to; ) {
    const page = await tables.transcripts.messages(row, next, to - next + 1)
    if (page.length === 0) break
    for (const { text, ...turn } of page)
      turns.push({ ...turn, text: isClean(chunks, turn.position) ? text : null })
    next = (page.at(-1)?.position ?? to) + 1
  }
  return turns
}

function isClean(chunks: readonly ChunkRow[], position: number): boolean {
  const own = chunks.filter(chunk => chunk.first_position <= position && position <= chunk.last_position)
  return own.length > 0 && own.every(({ safety_status: status }) => status === 'clean')
}

/** Turns at the beginning of a conversation in which its first prompt is looked for. */
const titleTurns = 8
/** Prompts that agent programs write themselves. */
const written = /^(?:<[a-z][\w-]*>|Caveat:|# AGENTS\.md|\[Request interrupted)/u

/** Returns the first prompt of a conversation that a person wrote; empty if there is none. */
export async function firstPrompt(deps: Pick<Daemon, 'store'>, row: TranscriptRow): Promise<string> {
  const turns = await readTurns(deps, row, { from: 0, to: titleTurns - 1 })
  const prompts = turns.flatMap(({ role, text }) => (role === 'user' && text !== null ? [text.trim()] : []))
  return prompts.find(text => text !== '' && !written.test(text)) ?? prompts[0] ?? ''
}

async function* pieces(deps: Pick<Daemon, 'store'>, row: TranscriptRow): AsyncGenerator<string> {
  const head = {
    sessionKey: row.session_key,
    agentId: row.agent_id,
    harness: row.harness,
    project: row.project,
    capturedAt: row.captured_at,
    messages: row.messages,
    contentSafety: safetyOf(row),
  }
  yield `${JSON.stringify(head).slice(0, -1)},"content":"`
  for await (const text of texts(deps, row)) yield JSON.stringify(text).slice(1, -1)
  yield '"}'
}

/** `role: text` for each message, with an empty line between them. */
async function* texts({ store }: Pick<Daemon, 'store'>, row: TranscriptRow): AsyncGenerator<string> {
  for (let from = 0; from < row.messages; ) {
    const page = await store.tables.transcripts.messages(row, from)
    if (page.length === 0) return
    yield `${from === 0 ? '' : '\n\n'}${page.map(lineOf).join('\n\n')}`
    from += page.length
  }
}

function lineOf({ role, text }: StoredMessage): string {
  return `${role}: ${text}`
}

/**
 * Returns the title of a session: the first real prompt of the person in one line, without what the harness
 * added. A custom command is the title only if no other prompt follows.
 * @param messages from the beginning of the conversation
 * @returns undefined when the person wrote nothing
 */
export function titleOf(messages: readonly { role: string; text: string }[]): string | undefined {
  const prompts = messages.flatMap(({ role, text }) => {
    if (role !== 'user' && role !== 'unknown') return []
    const line = text
      .replace(addedBlocks, ' ')
      .replace(/^[\s#>*-]+/u, '')
      .replace(/\s+/gu, ' ')
      .trim()
    return line === '' || notAPrompt.test(line) ? [] : [line]
  })
  const title = prompts.find(line => !line.startsWith('/')) ?? prompts[0]
  return title === undefined ? undefined : clip(title, maxTitle)
}

/**
 * Returns the possible parent keys of a sub-agent's session from the harness's own form of its key, likeliest
 * first: `agent:main:subagent:1` runs in `agent:main:main` (rules.md 4.10 and 4.11).
 * @returns [] for any other key.
 */
export function parentKeysOf(sessionKey: string): string[] {
  const parent = sessionKey.replace(subagent, '')
  if (parent === sessionKey || parent === '') return []
  const agent = /^agent:([^:]+)$/u.exec(parent)
  return agent ? [`${parent}:main`, parent] : [parent]
}
