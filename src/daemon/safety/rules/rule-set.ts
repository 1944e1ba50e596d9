import { type Stretch, stretchesWith, type View } from '../text/view.js'
import type { Rule } from './rule.js'

/** A rule with the stretches of a view that contain its words. */
export interface RuleNear {
  rule: Rule
  stretches: readonly Stretch[]
}

interface Lookup {
  needs: readonly Rule['needs'][]
  /** Indexes of the rules whose first group contains a word, by word number. */
  byWord: readonly (readonly number[] | undefined)[]
  /** Indexes of rules that need no word. */
  always: readonly number[]
  /** Bit set of the passages with a word, by word number; all zero between calls. */
  passages: Uint32Array
  /** Marks chosen rules, by index; all zero between calls. */
  chosen: Uint8Array
}

/** Selects rules by their required words: most texts contain the words of only a few. */
export class RuleSet {
  readonly #rules: readonly Rule[]
  /** Created at first use, because the words of rules are loaded late. */
  #lookup: Lookup | undefined

  constructor(rules: readonly Rule[]) {
    this.#rules = rules
  }

  /** Rules whose words occur close together, in the order of the rules. */
  near(view: View): RuleNear[] {
    this.#lookup ??= lookupOf(this.#rules)
    const { needs, passages } = this.#lookup
    const { words } = view.found
    for (let place = 0; place < words.length; place++)
      if (words[place]! < passages.length) passages[words[place]!] = view.found.passages[place]!
    const near: RuleNear[] = []
    for (const place of chosenBy(words, this.#lookup)) {
      const stretches = stretchesWith(view, needs[place]!, passages)
      if (stretches.length > 0) near.push({ rule: this.#rules[place]!, stretches })
    }
    for (const word of words) if (word < passages.length) passages[word] = 0
    return near
  }
}

function chosenBy(words: readonly number[], { byWord, always, chosen }: Lookup): number[] {
  const places = [...always]
  for (const word of words)
    for (const place of byWord[word] ?? []) {
      if (chosen[place] === 1) continue
      chosen[place] = 1
      places.push(place)
    }
  for (const place of places) chosen[place] = 0
  return places.sort((a, b) => a - b)
}

function lookupOf(rules: readonly Rule[]): Lookup {
  const needs = rules.map(rule => rule.needs)
  const byWord: number[][] = []
  for (const [place, [first = []]] of needs.entries())
    for (const word of first) {
      const others = byWord[word]
      if (others) others.push(place)
      else byWord[word] = [place]
    }
  return {
    needs,
    byWord,
    always: [...rules.keys()].filter(place => needs[place]!.length === 0),
    passages: new Uint32Array(Math.max(0, ...needs.flat(2)) + 1),
    chosen: new Uint8Array(rules.length),
  }
}
