import { setImmediate as nextTurn } from 'node:timers/promises'
import { clip } from '../../../lib/text/clip.js'
import { countOf } from '../../../lib/text/count-of.js'
import { label, oneLine } from '../../../lib/text/one-line.js'
import { beginningOf, withoutSecrets } from '../../../lib/text/without-secrets.js'
import { dayMs } from '../../../lib/time/time.js'
import type { OverviewMemory } from '../../../store/tables/memory/memory-overview.js'
import type { SummaryNodeRow } from '../../../store/tables/sessions/summary-nodes.js'
import { harmless } from '../../ground/text/envelope.js'
import { linesOf, noteItem } from '../../ground/text/note-lines.js'
import { withoutPrivate } from '../../ground/text/private-spans.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { unfinishedIn } from './open-threads.js'
import { withSafeNames } from './safe-names.js'
import { renderSections, type Section } from './sections.js'
import { type ProjectSurvey, type SurveyScope, survey } from './survey.js'

type Deps = Pick<Daemon, 'store' | 'clock'>

/** Days that the section Session Ledger looks back. */
export const recentDays = 30
const maxLine = 240
const maxHead = 600
const maxProject = 120
/** Heads that tell of one project. */
const headsPerProject = 2

export interface Projection {
  /** Markdown with the sections of MEMORY.md; empty when the budget holds not even their headings. */
  prompt: string
  /** Its last section: every node by its date and id. */
  indexBlock: string
  /** The memories that it is made from. */
  memories: OverviewMemory[]
}

/**
 * What is known, as text, without a language model: the same store at the same day gives the same text (rules.md 4.10).
 * Holds only what `scope` may see and what may enter a context, and no credentials.
 * @param maxTokens of 4 characters each.
 */
export async function project(deps: Deps, scope: SurveyScope, maxTokens: number): Promise<Projection> {
  const { projects, durable, nodes } = await withSafeNames(await survey(deps, scope))
  const since = new Date(deps.clock().getTime() - recentDays * dayMs).toISOString()
  const recent = nodes.filter(({ ends_at }) => ends_at >= since)
  const parts: readonly [heading: string, share: number, entries: () => string[]][] = [
    ['Global Head (Tier 1)', 0.2, () => projects.flatMap(globalHead)],
    ['Thread Heads (Tier 2)', 0.25, () => projects.flatMap(threadHead)],
    ['Session Ledger (Last 30 Days)', 0.15, () => recent.map(recentLine)],
    ['Open Threads', 0.15, () => openThreads(projects)],
    ['Durable Notes & Constraints', 0.2, () => durable.map(durableLine)],
    ['Temporal Index', 0.05, () => nodes.map(indexLine)],
  ]
  const sections: Section[] = []
  for (const [heading, share, entries] of parts) {
    sections.push({ heading, share, entries: entries().map(harmless) })
    await nextTurn()
  }
  const rendered = renderSections(sections, maxTokens)
  const told = projects.flatMap(({ decisions, rules, issues }) => [...decisions, ...rules, ...issues])
  const memories = new Map([...durable, ...told].map(memory => [memory.id, memory]))
  return {
    prompt: rendered.join('\n'),
    indexBlock: rendered.at(-1) ?? '',
    memories: [...memories.values()].map(memory => ({ ...memory, content: lineOf(memory.content, maxLine) })),
  }
}

function globalHead({ project, counts, nodes, lastAt, decisions, rules }: ProjectSurvey): string[] {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
  const kinds = [...counts].map(([type, count]) => `${count} ${type}`).join(', ')
  const about = total === 0 ? 'no memories' : `${countOf(total, 'memory', 'memories')} (${kinds})`
  const newest = [decisions[0], rules[0]].filter(memory => memory !== undefined)
  return [
    `- **${nameOf(project)}**: ${about}, ${countOf(nodes.length, 'session note')}, last active ${dayOf(lastAt)}`,
    ...newest.map(({ type, content }) => `  - newest ${type}: ${lineOf(content, maxLine)}`),
  ]
}

/** The newest of a project's heads, one a session; of some nothing may be told. */
function threadHead({ project, nodes }: ProjectSurvey): string[] {
  const bySession = new Map<string, SummaryNodeRow>()
  for (const node of nodes.filter(({ content }) => content !== '')) {
    const session = node.session_key ?? node.id
    if (!bySession.has(session)) bySession.set(session, node)
  }
  return [...bySession.values()]
    .slice(0, headsPerProject)
    .map(node =>
      noteItem(`- **${nameOf(project)}** (${dayOf(node.ends_at)}, ${node.kind}):`, headOf(node.content)),
    )
}

function recentLine({ ends_at, kind, harness, project, content }: SummaryNodeRow): string {
  return `- ${dayOf(ends_at)} ${kind}, ${harness === null ? 'unknown harness' : label(harness)}, ${nameOf(project)}: ${lineOf(content, 120)}`
}

/** Known issues, and what the newest note of a session says is left to do. */
function openThreads(projects: readonly ProjectSurvey[]): string[] {
  return projects.flatMap(({ project, issues, nodes }) => {
    const seen = new Set<string>()
    const unfinished = nodes.filter(({ session_key, id }) => {
      const session = session_key ?? id
      return !seen.has(session) && seen.add(session)
    })
    return [
      ...issues.map(
        ({ id, content, created_at }) =>
          `- ${nameOf(project)}, issue of ${dayOf(created_at)}: ${lineOf(content, maxLine)} (memory ${label(id)})`,
      ),
      ...unfinished.flatMap(({ content, ends_at }) =>
        unfinishedIn(content).map(
          line => `- ${nameOf(project)}, ${dayOf(ends_at)}: ${lineOf(line, maxLine)}`,
        ),
      ),
    ]
  })
}

function durableLine({ id, type, pinned, project, content }: OverviewMemory): string {
  const labels = [pinned ? 'pinned' : null, type, project === null ? null : nameOf(project)]
  const about = labels.filter(one => one !== null).join(', ')
  return `- [${about}] ${lineOf(content, maxLine)} (memory ${label(id)})`
}

function indexLine({ id, kind, ends_at, project }: SummaryNodeRow): string {
  return `- ${dayOf(ends_at)} ${kind} ${id} ${nameOf(project)}`
}

function nameOf(project: string | null): string {
  return project === null ? 'no project' : label(tellable(project, maxProject), maxProject)
}

function dayOf(timestamp: string): string {
  return timestamp.slice(0, 10)
}

function lineOf(text: string, length: number): string {
  return oneLine(tellable(text, length), length)
}

function headOf(text: string): string[] {
  return clip(linesOf(tellable(text, maxHead)).join('\n'), maxHead).split('\n')
}

/** The beginning without credentials and private spans: they go before the last cut, so that no half of one is left. */
function tellable(text: string, length: number): string {
  return withoutSecrets(withoutPrivate(beginningOf(text, length)))
}
