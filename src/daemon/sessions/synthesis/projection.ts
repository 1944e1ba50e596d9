import { setImmediate as nextTurn } from 'node:timers/promises'
import { clip } from '../../../lib/text/clip.js'
import { countOf } from '../../../lib/text/count-of.js'
import { harmless } from '../../../lib/text/harmless.js'
import { label, oneLine } from '../../../lib/text/one-line.js'
import { beginningOf, withoutSecrets } from '../../../lib/text/without-secrets.js'
import { dayMs } from '../../../lib/time/time.js'
import type { OverviewMemory } from '../../../store/tables/memory/memory-overview.js'
import type { SummaryNodeRow } from '../../../store/tables/sessions/summary-nodes.js'
import { linesOf, noteItem } from '../../ground/text/note-lines.js'
import { withoutPrivate } from '../../ground/text/private-spans.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { scanContentInSlices } from '../../safety/late-scan.js'
import { renderSections, type Section } from './sections.js'
import { type ProjectSurvey, type Survey, type SurveyScope, survey } from './survey.js'

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

/** Stands for the name of a project or harness that reads like an attack. */
const hiddenName = '(name not shown)'

/**
 * A survey whose names of projects and harnesses may enter a context: those of sessions, and of who saved a memory
 * again, stand outside the verdict on any row (rules.md 1.6).
 */
async function withSafeNames({ projects, durable, nodes }: Survey): Promise<Survey> {
  const names = new Set([...projects, ...durable, ...nodes].map(({ project }) => project))
  for (const { harness } of nodes) names.add(harness)
  const hidden = new Set<string | null>()
  for (const name of names)
    if (name !== null && (await scanContentInSlices(name)).status !== 'clean') hidden.add(name)
  if (hidden.size === 0) return { projects, durable, nodes }
  const shown = (name: string | null): string | null => (hidden.has(name) ? hiddenName : name)
  const named = <One extends { project: string | null }>(one: One): One => ({
    ...one,
    project: shown(one.project),
  })
  const safeNodes = (all: Survey['nodes']) =>
    all.map(node => ({ ...named(node), harness: shown(node.harness) }))
  return {
    projects: projects.map(one => ({ ...named(one), nodes: safeNodes(one.nodes) })),
    durable: durable.map(named),
    nodes: safeNodes(nodes),
  }
}

/** Words with which people and agents say that something is not done. */
const unfinished =
  /\b(?:to-?dos?|fixme|next steps?|remaining|remains? to|still (?:open|to do|need|needs|failing|fails|missing)|blocked (?:by|on)|not (?:yet )?(?:done|finished|working|implemented|fixed)|not yet|unfinished|unresolved|open questions?|follow[- ]?ups?|pending|left to do|waiting (?:for|on))\b/iu

/** A heading or label says it of the list below it. */
const heading = /^#{1,6}\s|:(?:\*\*)?$|^\*\*[^*]+\*\*$/u

/** Some summaries number their headings, among them those of Claude Code. */
const numberedHeading = /^\d{1,2}[.)]\s[^:]{1,80}:(?:\*\*)?$/u

const listItem = /^\s*(?:[-*+]|\d{1,2}[.)])\s+(?:\[ \]\s+)?/u

const unticked = /^\s*[-*+]\s+\[ \]\s+/u

const done = /^\s*[-*+]\s+\[[xX]\]\s+/u

const sentences = /[^.!?]+[.!?]*\s*/gu

/** The head of a session names what was asked, and what was answered if anything was. */
const asked = /^Asked: (.+)$/mu

const answered = /^Answered: /mu

const maxLines = 5

/** Characters of a node that are read. */
const maxText = 8000

/**
 * What a note says is left to do: a question nobody answered, unticked boxes, items below a heading that says so, and
 * sentences that do.
 */
export function unfinishedIn(text: string): string[] {
  const beginning = text.slice(0, maxText)
  const found: string[] = []
  const question = asked.exec(beginning)?.[1]
  if (question && !answered.test(beginning)) found.push(`unanswered: ${question}`)
  let below = false
  for (const line of beginning.split('\n')) {
    const item = line.replace(listItem, '').trim()
    if (item === '' || done.test(line) || asked.test(line)) continue
    const isItem = listItem.test(line) && !numberedHeading.test(line)
    if (isItem && (below || unticked.test(line))) {
      found.push(item)
      continue
    }
    if (!isItem) below = unfinished.test(item) && heading.test(item)
    if (!below) found.push(...sentencesOf(item).filter(sentence => unfinished.test(sentence)))
  }
  return found.slice(0, maxLines)
}

function sentencesOf(line: string): string[] {
  return (line.match(sentences) ?? []).map(sentence => sentence.replace(/^Answered: /u, '').trim())
}
