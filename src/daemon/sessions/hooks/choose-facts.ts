import { lazy } from '../../../lib/concurrency/lazy.js'
import type { CurrentValue } from '../../../store/tables/knowledge/claims.js'
import { isGenericName, isLowSignal } from '../../ground/entities/low-signal.js'
import { literalPattern } from '../../ground/text/own-paths.js'
import { questionStems, stemsOf } from '../../ground/text/word-coverage.js'

/** Facts of one entity that a prompt gets: more when it is the only one. */
const most = { alone: 5, beside: 3, general: 3, unmatched: 1, rules: 2 }
/** A prompt with more words asks for something in particular. */
const generalWords = 2
/** A fact up to this share of the best one matters less. */
const nearBest = 0.5
const points = { slot: 2, value: 1.5, side: 1 }

/**
 * Sides of a thing that questions and facts name by different words. A prompt with a word of a side asks for
 * the facts whose aspect or claim has a word of it.
 */
const sides: readonly string[] = [
  'who owner owns owned own lead maintainer maintains responsible contact team person people reviewer review approve ask ping email handle role',
  'where url address host hosted server region location endpoint path folder directory repository repo deployed runs live stored link',
  'port address url listen listens connect connection endpoint host curl request reach call calls talk talks',
  'when date deadline schedule day friday monday release since until window time freeze cron',
  'test tests testing spec coverage unit e2e runner flaky vitest jest pytest',
  'database db data store stores stored storage table schema migration migrate persist query sql postgres mysql sqlite redis cache index',
  'deploy deploys deployed deployment release ship rollout rollback publish build ci pipeline staging production friday',
  'version upgrade bump update migrate runtime node python java go compatible',
  'style format formatter lint linter convention naming indent tabs spaces preference prefer prefers quotes editor',
  'depend depends dependency dependencies uses use library package install import framework built written language stack',
  'limit limits quota timeout maximum max rate size budget retry retries memory slow latency performance',
  'run runs start starts command script procedure steps how local locally setup install',
  'fail fails failing failure flaky bug bugs broken error issue problem workaround crash fix fixed debug known incident',
  'key keys token secret secrets credential password auth login permission access security',
  'decide decided decision decisions why reason chose choose instead alternative adr',
  'currency amount amounts money price prices cents round rounding tax total totals invoice',
  'log logs logging metrics monitor monitoring alert alerts dashboard trace tracing',
  'branch merge commit commits rebase squash pr git review',
]

const sidesOfStem = lazy(() => {
  const found = new Map<string, Set<number>>()
  for (const [number, words] of sides.entries())
    for (const stem of stemsOf(words.replace(/\b(?:who|where|when|why|how)\b/gu, '')))
      found.set(stem, new Set([...(found.get(stem) ?? []), number]))
  return found
})

/** Question words name a side, although the index does not keep them. */
const questionWords: readonly (readonly [RegExp, number])[] = [
  [/\bwho(?:se|m)?\b/iu, 0],
  [/\bwhere\b/iu, 1],
  [/\bwhen\b/iu, 3],
  [/\bwhy\b/iu, 14],
]

/** `Log it when the tracker fails` asks nothing. */
const question = /^\s*(?:who|where|when|why)|\?\s*$/iu

/** Needs of a prompt, without the names in it. */
export interface PromptNeeds {
  stems: ReadonlySet<string>
  /** All stems, names included. */
  said: ReadonlySet<string>
  names: ReadonlySet<string>
  sides: ReadonlySet<number>
  /** Sides that question words name: `who`, `when`. */
  asked: ReadonlySet<number>
}

export function needsOf(prompt: string, names: readonly string[]): PromptNeeds {
  const named = stemsOf(names.join(' '))
  const said = stemsOf(prompt)
  const stems = new Set([...questionStems(prompt)].filter(stem => !named.has(stem)))
  const asked = questionWords.flatMap(([word, side]) => (word.test(prompt) ? [side] : []))
  return {
    stems,
    said,
    names: named,
    sides: new Set([...asked, ...sidesOf(stems)]),
    asked: new Set(question.test(prompt) ? asked : []),
  }
}

function sidesOf(stems: Iterable<string>): number[] {
  return [...stems].flatMap(stem => [...(sidesOfStem().get(stem) ?? [])])
}

/**
 * Chooses the facts of an entity that matter to a prompt, best first: those that its words ask for. A prompt
 * that asks nothing in particular gets the rules and the surest, any other the rules or the surest one. Facts
 * that the prompt says itself are left out.
 * @param values surest first
 * @param isAlone the prompt names no other known entity
 * @param onlyAsked facts that its words do not ask for are left out
 */
export function chooseFacts(
  values: readonly CurrentValue[],
  needs: PromptNeeds,
  { isAlone, onlyAsked = false }: { isAlone: boolean; onlyAsked?: boolean },
): CurrentValue[] {
  const rated = values
    .map(value => ({ value, stems: stemsOf(value.value) }))
    .filter(({ stems }) => !isSaid(stems, needs))
    .map(({ value, stems }) => ({ value, score: scoreOf(value, stems, needs) }))
    .sort((a, b) => b.score - a.score)
  const best = rated[0]?.score ?? 0
  if (best > 0) {
    const near = rated.filter(({ score }) => score > best * nearBest)
    return near.slice(0, isAlone ? most.alone : most.beside).map(({ value }) => value)
  }
  if (onlyAsked) return []
  const all = rated.map(({ value }) => value)
  const rules = all.filter(isRule)
  if (needs.stems.size <= generalWords)
    return [...rules, ...all.filter(value => !isRule(value))].slice(0, most.general)
  if (rules.length > 0) return rules.slice(0, most.rules)
  // Most prompts ask for work on code, which its language and versions concern more than its owner.
  const made = all.filter(value => isMadeOf.test(`${value.aspect_key} ${value.claim_key}`))
  return [...made, ...all].slice(0, most.unmatched)
}

const isMadeOf = /\b(?:problems|workarounds|written in|built with|versions|language|framework|stack)\b/u

function isRule({ aspect_key, kind }: CurrentValue): boolean {
  return kind === 'constraint' || aspect_key === 'rules'
}

/** True if the prompt says the value itself. */
function isSaid(value: ReadonlySet<string>, { said, names }: PromptNeeds): boolean {
  const own = [...value].filter(stem => !names.has(stem))
  return own.length > 0 && own.every(stem => said.has(stem))
}

function scoreOf(
  fact: CurrentValue,
  value: ReadonlySet<string>,
  { stems, sides, asked, names }: PromptNeeds,
): number {
  const slot = stemsOf(`${fact.aspect} ${fact.group_name} ${fact.claim}`)
  let score = 0
  for (const stem of stems) {
    if (names.has(stem)) continue
    if (slot.has(stem)) score += points.slot
    else if (value.has(stem)) score += points.value
  }
  const own = new Set(sidesOf(isRule(fact) ? [...slot, ...value] : slot))
  const isSide = [...own].some(side => sides.has(side))
  const isAsked = [...own].some(side => asked.has(side))
  return score + (isSide ? points.side : 0) + (isAsked ? points.side : 0)
}

/** Single names that are everyday words, such as the tools Go and Make. */
const everyday = new Set(
  'make express act rest spring swift flow sharp ink nest plain note notes go'.split(' '),
)

/**
 * True if a name is an everyday word and the prompt uses it as such: a tool is named by "Go" inside a
 * sentence or by `go` in backticks, and not by "go on".
 */
export function isEverydayUse(
  { name, name_key }: { name: string; name_key: string },
  prompt: string,
): boolean {
  const isWord = everyday.has(name_key) || isLowSignal(name_key) || isGenericName(name_key)
  if (name_key.includes(' ') || !isWord) return false
  const spelled = literalPattern(name)
  const asName = /\p{Lu}/u.test(name) ? `(?<![.!?]\\s|^\\s*)(?<!\\w)${spelled}(?!\\w)|` : ''
  return !new RegExp(`${asName}\`${spelled}\``, 'u').test(prompt)
}
