import { setImmediate as nextTurn } from 'node:timers/promises'
import { clip } from '../../../lib/text/clip.js'
import { countOf } from '../../../lib/text/count-of.js'
import { harmless } from '../../../lib/text/harmless.js'
import { label, oneLine } from '../../../lib/text/one-line.js'
import { beginningOf, withoutSecrets } from '../../../lib/text/without-secrets.js'
import { dayMs } from '../../../lib/time/time.js'
import type { OverviewMemory } from '../../../store/tables/memory/memory-overview.js'
import type { SummaryNodeRow } from '../../../store/tables/sessions/summary-nodes.js'
import { hasSubstance } from '../../ground/entities/low-signal.js'
import { linesOf, noteItem } from '../../ground/text/note-lines.js'
import { withoutPrivate } from '../../ground/text/private-spans.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { scanContentInSlices } from '../../safety/late-scan.js'
import { renderSections, type SummarySection } from './sections.js'
import { type ProjectSurvey, type Survey, type SurveyScope, survey } from './survey.js'

type Deps = Pick<Daemon, 'store' | 'clock' | 'projects'>

/** Days covered by the section Session Ledger. */
export const recentDays = 30
const maxLine = 240
const maxHead = 600
const maxProject = 120
/** Session heads per project. */
const headsPerProject = 2

export interface Projection {
  /** Markdown with the sections of MEMORY.md; empty when the budget is too small for the headings. */
  prompt: string
  /** Its last section: every node by date and id. */
  indexBlock: string
  /** The memories used in the text. */
  memories: OverviewMemory[]
}

/**
 * Builds a text from the store without a language model: the same store on the same day gives the same text
 * (rules.md 4.10). It contains only content that `scope` may see and contexts may include, without
 * credentials.
 * @param maxTokens of 4 characters each.
 */
export async function project(deps: Deps, scope: SurveyScope, maxTokens: number): Promise<Projection> {
  const { projects, durable, nodes } = await withSafeNames(withListedNames(deps, await survey(deps, scope)))
  const since = new Date(deps.clock().getTime() - recentDays * dayMs).toISOString()
  const recent = nodes.filter(node => node.ends_at >= since && hasSubstance(node))
  const worked = projects.map(one => ({ ...one, nodes: one.nodes.filter(hasSubstance) }))
  const parts: readonly [heading: string, share: number, entries: () => string[]][] = [
    ['Global Head (Tier 1)', 0.2, () => projects.flatMap(globalHead)],
    ['Thread Heads (Tier 2)', 0.25, () => worked.flatMap(threadHead)],
    ['Session Ledger (Last 30 Days)', 0.15, () => recent.map(recentLine)],
    ['Open Threads', 0.15, () => openThreads(worked)],
    ['Durable Notes & Constraints', 0.2, () => durable.map(durableLine)],
    ['Temporal Index', 0.05, () => nodes.map(indexLine)],
  ]
  const sections: SummarySection[] = []
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

/** The newest heads of a project, one per session; nodes without shareable content are skipped. */
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

/** Known issues, and unfinished work in the newest note of each session. */
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

/**
 * Returns the name of a project in MEMORY.md. A first commit as key says nothing to people, and its colon
 * would end the name.
 */
export function listedName(
  projects: Pick<Daemon['projects'], 'list' | 'nameOf'>,
  key: string | null,
): string {
  if (!key?.startsWith('git:')) return nameOf(key)
  const name = projects.nameOf(key)
  const isShared = projects.list().some(other => other.key !== key && other.name === name)
  return nameOf(isShared ? `${name} (${key.slice(4, 12)})` : name)
}

function withListedNames({ projects: known }: Deps, { projects, durable, nodes }: Survey): Survey {
  const names = new Map<string | null, string>()
  const named = <One extends { project: string | null }>(one: One): One => {
    if (!one.project?.startsWith('git:')) return one
    const project = names.get(one.project) ?? listedName(known, one.project)
    names.set(one.project, project)
    return { ...one, project }
  }
  return {
    projects: projects.map(one => ({ ...named(one), nodes: one.nodes.map(named) })),
    durable: durable.map(named),
    nodes: nodes.map(named),
  }
}

function nameOf(project: string | null): string {
  return project === null ? 'no project' : label(shareable(project, maxProject), maxProject)
}

function dayOf(timestamp: string): string {
  return timestamp.slice(0, 10)
}

function lineOf(text: string, length: number): string {
  return oneLine(shareable(text, length), length)
}

function headOf(text: string): string[] {
  return clip(linesOf(shareable(text, maxHead)).join('\n'), maxHead).split('\n')
}

/**
 * The beginning without credentials and private spans. They are removed before the final cut, so no half of
 * one remains.
 */
function shareable(text: string, length: number): string {
  return withoutSecrets(withoutPrivate(beginningOf(text, length)))
}

/** Replaces the name of a project or harness that resembles an attack. */
const hiddenName = '(name not shown)'

/**
 * Replaces unsafe names of projects and harnesses. Names of sessions and further holders are not part of the
 * verdict on any row (rules.md 1.6).
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

/** Words with which people and agents describe unfinished work. */
const unfinished =
  /\b(?:to-?dos?|fixme|next steps?|remaining|remains? to|still (?:open|to do|need|needs|failing|fails|missing)|blocked (?:by|on)|not (?:yet )?(?:done|finished|working|implemented|fixed)|not yet|unfinished|unresolved|open questions?|follow[- ]?ups?|pending|left to do|waiting (?:for|on))\b/iu

/** A heading or label applies to the list below it. */
const heading = /^#{1,6}\s|:(?:\*\*)?$|^\*\*[^*]+\*\*$/u

/** Some summaries number their headings, including those of Claude Code. */
const numberedHeading = /^\d{1,2}[.)]\s[^:]{1,80}:(?:\*\*)?$/u

const listItem = /^\s*(?:[-*+]|\d{1,2}[.)])\s+(?:\[ \]\s+)?/u

const unticked = /^\s*[-*+]\s+\[ \]\s+/u

const done = /^\s*[-*+]\s+\[[xX]\]\s+/u

const sentences = /[^.!?]+[.!?]*\s*/gu

/** The head of a session names the request, and the answer if there was one. */
const asked = /^Asked: (.+)$/mu

const answered = /^Answered: /mu

const maxLines = 5

/** Characters of a node that are read. */
const maxText = 8000

/**
 * Finds unfinished work in a note: an unanswered question, unticked boxes, items below a matching heading,
 * and matching sentences.
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
