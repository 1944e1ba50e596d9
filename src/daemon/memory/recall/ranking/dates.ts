import { dayMs } from '../../../../lib/time/time.js'
import { inferType } from '../../records/normalise-content.js'
import { type EvidenceTable, noValues } from './evidence-table.js'
import type { ContentContext, RankContext } from './step.js'
import { weights } from './weights.js'

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const MONTH =
  '(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)'
const YEAR = '((?:19|20)\\d\\d)'
const DAY = '(\\d{1,2})(?:st|nd|rd|th)?'
/** "May", "March" and bare numbers are dates only after one of these words. */
const TIME_PREPOSITION =
  '\\b(?:in|of|on|for|from|during|since|until|before|after|by|last|this|early|mid|late|year)'

/** A date with the precision of the query: `month` 1..12, `day` 1..31; a missing year means any year. */
export interface DateMention {
  year?: number
  month?: number
  day?: number
}

/** Milliseconds since the epoch, end exclusive. */
export interface TimeSpan {
  from: number
  to: number
}

/** Date formats. A pattern with a month name or a digit can't match a text without one. */
const WRITTEN = [
  written(`\\b${YEAR}[-/](\\d{1,2})[-/](\\d{1,2})\\b`, ['year', 'month', 'day']),
  written(`\\b${DAY}(?: of)? ${MONTH}\\b,?(?: ${YEAR}\\b)?`, ['day', 'month', 'year']),
  written(`\\b${MONTH} ${DAY}\\b,?(?: ${YEAR}\\b)?`, ['month', 'day', 'year']),
  written(`\\b${MONTH},? ${YEAR}\\b`, ['month', 'year']),
  written(`\\b${YEAR}[-/](\\d{1,2})\\b`, ['year', 'month']),
  written(`${TIME_PREPOSITION} ${MONTH}\\b`, ['month']),
  written(`${TIME_PREPOSITION} ${YEAR}(?![\\w:/-]|\\.\\d)`, ['year']),
]

const ASKS_FOR_TIME =
  /^\W*(?:(?:and|so|but|since|until|by|from) )?(?:when|how (?:long|often|soon)|(?:what|which) (?:\w+ )?(?:date|day|week|month|year|time))\b/i
const TELLS_TIME = new RegExp(
  [
    '\\b(?:yesterday|today|tonight|tomorrow|ago|since|last|next|recently|daily|nightly|weekly|monthly|yearly|quarterly)\\b',
    '\\b(?:minute|hour|day|night|week|weekend|month|quarter|year)s?\\b',
    '\\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\\b',
    '\\b(?:january|february|march|april|june|july|august|september|october|november|december)\\b',
    '\\b(?:19|20)\\d\\d\\b',
    '\\b\\d{1,2}(?::\\d\\d| ?[ap]m)\\b',
  ].join('|'),
  'i',
)

/** Types of memories that guide how to work, whatever the words of the task. */
const standingTypes: ReadonlySet<string> = new Set(['preference', 'rule', 'decision', 'procedural'])

/** Verbs that begin a task for an agent. As a regular expression, V8 would compile 200 KB for them, twice. */
const TASKS: ReadonlySet<string> = new Set(
  (
    'add|answer|ask|build|bump|change|check|checkout|choose|clean|clone|commit|configure|connect|convert|create|debug|' +
    'delete|deploy|describe|design|document|draft|draw|drop|explain|export|extend|fetch|fix|format|generate|get|give|hide|' +
    'implement|import|improve|init|install|leave|list|load|log|make|measure|merge|migrate|mock|move|name|open|pick|plan|' +
    'post|prepare|print|propose|publish|push|put|read|refactor|release|remove|rename|replace|reply|report|review|rewrite|' +
    'roll|run|save|scaffold|schedule|send|set|ship|show|sort|spin|split|start|stop|store|style|summarise|summarize|talk|' +
    'test|translate|try|update|upgrade|upload|use|validate|wake|wire|write'
  ).split('|'),
)

/** The first word after polite openings. */
const FIRST_WORD = /^\W*(?:(?:please|can you|could you|now|then|let's)\s+)?(\w+)/i

const ASKS_WHAT_TO_DO = new RegExp(
  [
    '\\b(?:should|shall|can|may|must|do|could|would|am|need to|have to|want to|going to)\\s+(?:i|we|you|it|they|my|our)\\b',
    '\\b(?:i|we)\\s+(?:want|need|have|am|are|should|must|plan|would like)\\b',
    '\\b(?:allowed|okay|ok) to\\b',
  ].join('|'),
  'i',
)

function written(source: string, parts: readonly (keyof DateMention)[]) {
  const needs = { needsName: source.includes(MONTH), needsNumber: source.includes('\\d') }
  return { pattern: new RegExp(source), parts, ...needs }
}

/**
 * @returns the first absolute date in a query (English month names or ISO), with the precision it is written
 * in.
 */
export function mentionedDate(query: string): DateMention | undefined {
  const text = query.toLowerCase()
  const isNumbered = /\d/.test(text)
  const isNamed = MONTHS.some(month => text.includes(month))
  for (const { pattern, parts, needsName, needsNumber } of WRITTEN) {
    // Skips compiling patterns that can't match; most questions contain no date.
    if ((needsName && !isNamed) || (needsNumber && !isNumbered)) continue
    const match = pattern.exec(text)
    if (!match) continue
    const mention: DateMention = {}
    parts.forEach((part, i) => {
      const value = match[i + 1]
      if (value !== undefined) mention[part] = part === 'month' ? monthNumber(value) : Number(value)
    })
    if (isPossible(mention)) return mention
  }
  return undefined
}

/**
 * Relative dates (English): today, yesterday, this or last week, month and year, "N days ago".
 *
 * @param now milliseconds since the epoch
 * @returns the span, counted back from `now` and generous by design
 */
export function relativeSpan(query: string, now: number): TimeSpan | undefined {
  const text = query.toLowerCase()
  const today = Math.floor(now / dayMs) * dayMs
  if (/\btoday\b/.test(text)) return { from: today, to: now + 1 }
  if (/\byesterday\b/.test(text)) return { from: today - dayMs, to: today }
  const days = { day: 1, week: 7, month: 31, year: 366 }
  const ago = /\b(\d{1,3}|an?|one|two|three) (day|week|month|year)s? ago\b/.exec(text)
  if (ago) {
    const count = { a: 1, an: 1, one: 1, two: 2, three: 3 }[ago[1]!] ?? Number(ago[1])
    const unit = days[ago[2] as keyof typeof days] * dayMs
    return { from: today - (count + 0.5) * unit, to: today - (count - 0.5) * unit + dayMs }
  }
  const recent = /\b(this|last|past|previous) (week|month|year)\b/.exec(text)
  if (!recent) return undefined
  const unit = days[recent[2] as keyof typeof days] * dayMs
  return { from: today - (recent[1] === 'this' ? 1 : 2) * unit, to: now + 1 }
}

/** @returns the span of a mention in its own year, or in `year` when it has none. */
export function spanOf(mention: DateMention, year: number): TimeSpan {
  const { month, day } = mention
  const y = mention.year ?? year
  if (month === undefined) return { from: Date.UTC(y, 0), to: Date.UTC(y + 1, 0) }
  if (day === undefined) return { from: Date.UTC(y, month - 1), to: Date.UTC(y, month) }
  return { from: Date.UTC(y, month - 1, day), to: Date.UTC(y, month - 1, day + 1) }
}

function monthNumber(text: string): number {
  return /^\d/.test(text) ? Number(text) : MONTHS.indexOf(text.slice(0, 3)) + 1
}

function isPossible({ month = 1, day = 1 }: DateMention): boolean {
  return month >= 1 && month <= 12 && day >= 1 && day <= 31
}

/**
 * Date evidence: rows created at or near the time that the query names.
 *
 * @returns factors by place
 */
export function dateEvidence(
  { query, rows, now }: Pick<RankContext, 'query' | 'rows' | 'now'>,
  table: EvidenceTable,
): Float64Array | undefined {
  const mention = mentionedDate(query)
  const relative = mention ? undefined : relativeSpan(query, now)
  if (!mention && !relative) return undefined
  const factors = noValues(rows)
  for (let place = 0; place < rows.count; place++) {
    const createdAt = table.isCandidate(place) ? rows.createdAt(place) : undefined
    if (createdAt === undefined) continue
    const span = mention ? spanOf(mention, new Date(createdAt).getUTCFullYear()) : relative!
    const closeness = closenessTo(span, createdAt)
    if (closeness > 0) factors[place] = 1 + weights.date.gain * closeness
  }
  return factors
}

function closenessTo({ from, to }: TimeSpan, time: number): number {
  if (time >= from && time < to) return 1
  const nearMs = weights.date.nearDays * dayMs
  return time >= from - nearMs && time < to + nearMs ? weights.date.nearShare : 0
}

export const asksForTime = (query: string): boolean => ASKS_FOR_TIME.test(query)

/**
 * Time evidence: a row with a time answers a question about time. Needs content, so it runs after
 * authorisation (recall.md 1.3.6).
 *
 * @returns factors by memory id
 */
export function timeEvidence({
  query,
  contents,
}: Pick<ContentContext, 'query' | 'contents'>): Map<string, number> {
  const factors = new Map<string, number>()
  if (!asksForTime(query)) return factors
  for (const [id, content] of contents) if (TELLS_TIME.test(content)) factors.set(id, weights.timeWords)
  return factors
}

/**
 * Standing evidence: preferences, rules, decisions and procedures answer a task ("write the commit message")
 * or a question of what to do, although they share few of its words. Only an explicit type counts: one
 * inferred from a keyword ("always") adds nothing to that keyword. Needs content and types, so it runs after
 * authorisation (recall.md 1.3.6).
 *
 * @returns factors by memory id
 */
export function standingEvidence({
  query,
  rows,
  contents,
}: Pick<ContentContext, 'query' | 'rows' | 'contents'>): Map<string, number> {
  const factors = new Map<string, number>()
  if (!isTask(query) && !ASKS_WHAT_TO_DO.test(query)) return factors
  for (const [id, { type }] of rows) {
    const isGiven = standingTypes.has(type) && inferType(contents.get(id) ?? '') !== type
    if (isGiven) factors.set(id, weights.standing)
  }
  return factors
}

function isTask(query: string): boolean {
  return TASKS.has(FIRST_WORD.exec(query)?.[1]?.toLowerCase() ?? '')
}
