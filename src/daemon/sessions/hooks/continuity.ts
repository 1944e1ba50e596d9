import { clip } from '../../../lib/text/clip.js'
import { harmless } from '../../../lib/text/harmless.js'
import { label } from '../../../lib/text/one-line.js'
import { withoutSecrets } from '../../../lib/text/without-secrets.js'
import type { SummaryHead } from '../../../store/tables/sessions/summary-nodes.js'
import { hasSubstance } from '../../ground/entities/low-signal.js'
import { linesOf, noteItem } from '../../ground/text/note-lines.js'
import { withoutPrivate } from '../../ground/text/private-spans.js'
import { withoutRecalled } from '../../ground/text/tag-spans.js'
import { charactersPerToken } from '../../ground/text/tokens.js'
import type { Caller } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import type { HookSession } from '../tracker/enter-hook.js'
import type { NotChosen } from './choose-memories.js'
import type { Section } from './compose-context.js'
import { createAlikeFinder } from './session-memories.js'
import type { StartSettings } from './start-settings.js'

/** Nodes examined per record, since a session may have many compactions. */
const lookThrough = 3

/**
 * Lists earlier sessions of this agent and project, the parent's first, then the newest: for each its head
 * and its last compaction (rules.md 4.12). A credential limited to a project sees only its sessions; one
 * limited to a user sees none, since sessions have no user (security.md 5.4).
 */
export async function continuitySection(
  { store }: Pick<Daemon, 'store'>,
  { access: { scope } }: Caller,
  { agentId, project, name }: HookSession,
  parentKey: string | undefined,
  { maxEntries, maxTokens, entryMaxTokens }: StartSettings['continuity'],
): Promise<Continuity> {
  const { summaryNodes } = store.tables
  const mayTell = scope.user === undefined && maxEntries > 0
  const clean = { agentId, kinds: ['session', 'compaction'], safety: 'clean' } as const
  const within = scope.project === undefined ? {} : { project: scope.project }
  const limit = maxEntries * lookThrough
  // Reads more than is shown, because white space and private spans are removed.
  const maxContent = 2 * entryMaxTokens * charactersPerToken + 1000
  const [ofParent, ofProject] = await Promise.all([
    parentKey === undefined || !mayTell
      ? []
      : summaryNodes.heads(
          { ...clean, ...within, sessionKey: parentKey },
          { limit: lookThrough, maxContent },
        ),
    project === null || !mayTell
      ? []
      : summaryNodes.heads({ ...clean, project, ...within }, { limit, maxContent }),
  ])
  const nodes = oneOfEach([...ofParent, ...ofProject].filter(node => node.session_key !== name?.sessionKey))
  const all = nodes.filter(hasSubstance).map(node => recordOf(node, entryMaxTokens, parentKey))
  const { different, alike } = eachOnce(all)
  const fitting = withinBudget(different.slice(0, maxEntries), maxTokens * charactersPerToken)
  const noRoom = different.slice(fitting.length)
  return {
    name: 'continuity',
    heading: '## Earlier sessions of this project',
    records: fitting.map(({ record }) => record),
    texts: fitting.map(({ text }) => text),
    nodes: fitting.map(({ node }) => node),
    hasMore: ofProject.length === limit,
    displaced: [
      ...noRoom.map(({ node, text }) => ({ id: node.id, text, reason: 'full' as const })),
      ...alike.map(({ node, text, alikeTo }) => ({ id: node.id, text, reason: 'alike' as const, alikeTo })),
    ],
  }
}

/** Earlier sessions, and the text of each record without its label. */
export interface Continuity extends Section {
  records: readonly string[]
  texts: readonly string[]
  /** Nodes of the records, with their relation to this session. */
  nodes: readonly EarlierNode[]
  /** There may be earlier ones, which were not looked at. */
  hasMore: boolean
  /** Sessions without a place: the limit of entries or tokens is reached, or another one says the same. */
  displaced: readonly ({ id: string; text: string } & Exclude<NotChosen, { reason: 'unused' }>)[]
}

export interface EarlierNode {
  id: string
  by: 'parent' | 'project'
}

interface EarlierSession {
  record: string
  text: string
  node: EarlierNode
}

function oneOfEach(nodes: readonly SummaryHead[]): SummaryHead[] {
  const seen = new Set<string>()
  return nodes.filter(({ id, kind, session_key }) => {
    const record = `${kind} ${session_key ?? id}`
    if (seen.has(record)) return false
    seen.add(record)
    return true
  })
}

/** Sessions that are alike appear once, as the first of them. */
function eachOnce(sessions: readonly EarlierSession[]): {
  different: EarlierSession[]
  alike: (EarlierSession & { alikeTo: string })[]
} {
  const findAlike = createAlikeFinder()
  const judged = sessions.map(session => ({ session, alikeTo: findAlike(session.text, session.node.id) }))
  return {
    different: judged.flatMap(({ session, alikeTo }) => (alikeTo === undefined ? [session] : [])),
    alike: judged.flatMap(({ session, alikeTo }) => (alikeTo === undefined ? [] : [{ ...session, alikeTo }])),
  }
}

function recordOf(
  { id, kind, harness, ends_at, content, session_key }: SummaryHead,
  maxTokens: number,
  parentKey: string | undefined,
): EarlierSession {
  const isParent = session_key !== null && session_key === parentKey
  const what = isParent ? 'the session that started this one' : kind
  const when = ends_at.slice(0, 16).replace('T', ' ')
  const head = harmless(`- [${[what, when, label(harness ?? '')].filter(Boolean).join(', ')}]`)
  // Summaries are written by models, which repeat what they saw.
  const lines = linesOf(harmless(withoutSecrets(withoutRecalled(withoutPrivate(content)))))
  const record = clip(noteItem(head, lines), maxTokens * charactersPerToken)
  return { record, text: record.slice(head.length), node: { id, by: isParent ? 'parent' : 'project' } }
}

function withinBudget(sessions: readonly EarlierSession[], maxCharacters: number): EarlierSession[] {
  let left = maxCharacters
  const first = sessions.findIndex(({ record }) => {
    left -= record.length + 1
    return left < 0
  })
  return sessions.slice(0, first < 0 ? sessions.length : first)
}
