import { charactersPerToken } from '../../ground/text/tokens.js'

/** A section of MEMORY.md before it is fitted into the budget. */
export interface SummarySection {
  heading: string
  /** Entries, most important first; one may have several lines. */
  entries: readonly string[]
  /** Its share of the budget; unused parts go to other sections. */
  share: number
}

const nothing = '_Nothing yet._'

/**
 * Renders sections in order within a budget. Each takes entries within its share. The rest goes to sections
 * without an entry, one each, then to the first sections that have more. Omitted entries are counted. A
 * budget too small for the headings gives an empty text.
 */
export function renderSections(sections: readonly SummarySection[], maxTokens: number): string[] {
  const frames = sections.map(({ heading }) => `## ${heading}\n\n${moreLine(100_000)}\n\n`.length)
  const budget = maxTokens * charactersPerToken - frames.reduce((sum, length) => sum + length, 0)
  if (budget < 0) return []
  const taken = sections.map(({ entries, share }) => countWithin(entries, 0, budget * share).count)
  let left = budget - sections.reduce((sum, { entries }, i) => sum + lengthOf(entries.slice(0, taken[i])), 0)
  const takeMore = (i: number, most: number): void => {
    const from = taken[i] as number
    const more = countWithin((sections[i] as SummarySection).entries.slice(0, from + most), from, left)
    taken[i] = from + more.count
    left -= more.length
  }
  for (const i of sections.keys()) if (taken[i] === 0) takeMore(i, 1)
  for (const i of sections.keys()) takeMore(i, Number.POSITIVE_INFINITY)
  return sections.map((section, i) => renderSection(section, taken[i] as number))
}

function renderSection({ heading, entries }: SummarySection, taken: number): string {
  const lines = entries.slice(0, taken)
  if (entries.length > taken) lines.push(moreLine(entries.length - taken))
  if (lines.length === 0) lines.push(nothing)
  return `## ${heading}\n\n${lines.join('\n')}\n`
}

function moreLine(count: number): string {
  return `- ... and ${count} more`
}

/** Counts the entries from one on that fit into a length. */
function countWithin(
  entries: readonly string[],
  from: number,
  maxLength: number,
): { count: number; length: number } {
  let length = 0
  let count = 0
  for (const entry of entries.slice(from)) {
    if (length + entry.length + 1 > maxLength) break
    length += entry.length + 1
    count++
  }
  return { count, length }
}

function lengthOf(entries: readonly string[]): number {
  return entries.reduce((sum, entry) => sum + entry.length + 1, 0)
}

/** A section without entries, or that only counts those that were too long. */
const emptySection = new RegExp(`^## .+\\n\\n(?:${nothing}|- \\.\\.\\. and \\d+ more)\\n+`, 'gmu')
const tier = /^(## .+?) \(Tier \d\)$/gmu
/** The counts of a project in the Global Head. */
const countsOfProject = /^(- \*\*.+?\*\*): .*?(last active \S+)$/gmu

/** The summary as MEMORY.md has it for its readers: without empty sections, tiers and counts. */
export function plainSummary(rendered: string): string {
  return `${rendered}\n`
    .replace(emptySection, '')
    .replace(tier, '$1')
    .replace(countsOfProject, '$1, $2')
    .trimEnd()
    .concat('\n')
}
