import type { ContentSafety, safetyReasons } from '../../../contract/ground/fields.js'
import { lazy } from '../../../lib/concurrency/lazy.js'
import { isMention, isReported } from '../text/mention.js'
import { type Stretch, stretchesWith, type View } from '../text/view.js'
import type { Vocabulary } from '../text/vocabulary.js'
import { neededWords } from './needed-words.js'
import { type WordGroup, wordsNeeded } from './needs.js'

export type SafetyReason = (typeof safetyReasons)[number]
export type SafetyStatus = ContentSafety['status']

/** How far later parts of a rule may be from the start: the same line, the same sentence, or four lines. */
export type Reach = 'line' | 'sentence' | 'passage'

/**
 * One attack pattern as written in the rule tables. `start` finds candidates; each `followedBy` is searched
 * in order, from the previous part's end to the end of the reach. Parts have only short bounded gaps, so a
 * rule's cost per character is constant.
 */
export interface RuleText {
  /** Stable: verdicts refer to it (contentSafety.rules). */
  id: string
  reason: SafetyReason
  status: 'tainted' | 'blocked'
  /** An example that must match. */
  catches: string
  /** A harmless example that must not match. */
  passes: string
  start: RegExp
  followedBy?: readonly RegExp[]
  reach?: Reach
  /** Matches only commands: "ignore ..." counts, "attackers ask it to ignore ..." does not. */
  command?: true
  /** Tested from the candidate's start to the end of its reach; a match makes the candidate harmless. */
  unless?: RegExp
}

/** A rule that is ready to run. */
export interface Rule extends RuleText {
  /**
   * Groups of word numbers: a passage without a word of each group nearby cannot match, which makes long
   * texts cheap to scan. Loaded at first use, to keep that work out of the start.
   */
  readonly needs: readonly (readonly number[])[]
}

const maxReach: Record<Reach, number> = { line: 400, sentence: 280, passage: 500 }
const sentenceEnd = /[.!?。！？](?=\s|$)|\n(?=\s*(?:\n|[-*#|]\s|\d+\.\s))/
const passageLines = 4

const parsed: { words?: Readonly<Record<string, readonly WordGroup[]>> } = {}

/**
 * The words extracted from the patterns by the build. Rules newer than the build have theirs extracted here.
 */
function builtWords(): Readonly<Record<string, readonly WordGroup[]>> {
  parsed.words ??= JSON.parse(neededWords) as Readonly<Record<string, readonly WordGroup[]>>
  return parsed.words
}

/** Extracts the words a rule needs from its patterns. */
export function readWords({ start, followedBy = [] }: Pick<RuleText, 'start' | 'followedBy'>): WordGroup[] {
  return wordsNeeded([start, ...followedBy])
}

/** Compiles a rule table; its words enter the vocabulary before the first search. */
export function compile(rules: readonly RuleText[], vocabulary: Vocabulary): Rule[] {
  return rules.map(text => {
    const rule = compileOne(text, vocabulary)
    vocabulary.expect(() => rule.needs)
    return rule
  })
}

function compileOne(rule: RuleText, vocabulary: Vocabulary): Rule {
  const start = lazy(() => new RegExp(rule.start, 'g'))
  let needs: Rule['needs'] | undefined
  return {
    ...rule,
    get start() {
      return start()
    },
    get needs() {
      // The shortest group comes first: most texts contain none of its words, which ends the check.
      needs ??= (builtWords()[rule.id] ?? readWords(rule))
        .map(words => words.map(word => vocabulary.add(word)))
        .sort((a, b) => a.length - b.length)
      return needs
    },
  }
}

/**
 * True when a view contains the attack itself, not just a mention of it.
 * @param stretches where to search; by default wherever the rule's words are
 */
export function matches(
  rule: Rule,
  view: View,
  stretches: readonly Stretch[] = stretchesWith(view, rule.needs),
): boolean {
  return stretches.some(stretch => matchesWithin(rule, view, stretch))
}

function matchesWithin(rule: Rule, view: View, [from, to]: Stretch): boolean {
  const stretch = view.text.slice(from, to)
  // `matchAll` would compile the pattern for each stretch.
  rule.start.lastIndex = 0
  for (let hit = rule.start.exec(stretch); hit; hit = rule.start.exec(stretch)) {
    const start = from + hit.index
    const end = complete(rule, view.text, start, start + hit[0].length)
    if (hit[0] === '') rule.start.lastIndex++
    if (end < 0) continue
    if (rule.command && isReported(view.text, start)) continue
    if (view.quotes && isMention(view, start, end)) continue
    return true
  }
  return false
}

/** End of the last part, or -1 when a part is missing or an exception applies. */
function complete(rule: Rule, text: string, start: number, startEnd: number): number {
  const reach = rule.reach ?? 'sentence'
  const scope = withinReach(text.slice(startEnd, startEnd + maxReach[reach]), reach)
  if (rule.unless?.test(text.slice(start, startEnd) + scope)) return -1
  let offset = 0
  for (const part of rule.followedBy ?? []) {
    const found = part.exec(scope.slice(offset))
    if (!found) return -1
    offset += found.index + found[0].length
  }
  return startEnd + offset
}

function withinReach(ahead: string, reach: Reach): string {
  if (reach === 'line') return ahead.split('\n', 1)[0]!
  if (reach === 'passage') return ahead.split('\n\n', 1)[0]!.split('\n', passageLines).join('\n')
  const stop = ahead.search(sentenceEnd)
  return stop < 0 ? ahead : ahead.slice(0, stop)
}
