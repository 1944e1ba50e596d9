import { inferType } from '../../records/normalise-content.js'
import type { ContentContext } from './step.js'
import { weights } from './weights.js'

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
