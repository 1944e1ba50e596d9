import { choosing, ending, moving, raising } from '../changes.js'
import { deciding, liking } from '../decisions.js'
import { failing } from '../faults.js'
import { program } from '../procedures.js'
import { dayOf, labels } from '../read-line.js'
import { askingVerbs } from '../statements.js'
import { leadInLength } from '../syntax/shorthand.js'
import {
  adverbs,
  beForms,
  conjunctions,
  determiners,
  doForms,
  haveForms,
  modals,
  prepositions,
  pronouns,
  subordinators,
  wordSet,
} from '../words/classes.js'
import { type VerbForm, verbs } from '../words/verbs.js'

/** Words of rules, preferences, decisions, lessons and problems, whatever their class. */
const tellingWords = wordSet(`
  do never not no nobody none nothing noone nowhere only always most least must shall should will can
  cannot dont doesnt didnt isnt arent wasnt werent hasnt havent shouldnt wouldnt couldnt cant wont please pls plz
  rather instead over place mandatory compulsory obligatory still first up off out down away back
  prefers likes wants decided agreed learned discovered bug bugs broken problem problems
  went going gone dead history rid goodbye bye farewell ended
  found spent wasted burned burnt til apparently hindsight retrospect debugging searching digging hunting investigating
  cost how required forbidden allowed permitted dropped cut fail fails crash crashes hang hangs break breaks leak leaks
  outdated unresponsive blank flaky stale slow buggy wrong wrongly incorrectly improperly unstable unreliable corrupt
  corrupted incomplete missing too stuck racy inaccurate twice longer slower lost unusable ages forever negative bogus
  garbled intermittent intermittently sporadic sporadically double doubled dark silent frozen locked empty black white
  grey gray truncated reversed rotated mirrored duplicated duplicate overwritten swallowed orphaned phantom ghost
  spurious random null nil nan undefined zero garbage without late early upside effect loss corruption flickering
  vanish vanishes disappear disappears quit quits disconnect disconnects reboot reboots
  regression mismatch bottleneck error errors exception exceptions segfaults workaround work-around fix solution known
  informed notified know knows aware unknown unclear eta idea clue sometimes randomly occasionally silently hardly barely
`)

/** Verbs that may say more than a fact in any form. */
const tellingVerbs = new Set([
  ...liking,
  ...wordSet(
    'take split cut stay remain stop replace supersede succeed swap need require kill learn discover notice realise realize',
  ),
])

/** Verbs that describe a change, or how something is handled, in their past and passive forms. */
const changing = new Set([
  ...deciding,
  ...ending,
  ...choosing,
  ...wordSet(`accept approve reduce raise increase lower shorten extend limit split merge extract consolidate introduce
    rewrite delay defer disable forbid ban prohibit disallow allow permit delete squash rebase review sign tag protect
    refuse block bounce decline revert ignore return`),
])
const changedForms: ReadonlySet<VerbForm> = new Set(['ed', 'past', 'participle', 'ing'])

const sign = {
  /** May say more than a fact. */
  telling: 1 << 0,
  /** A change if it has a goal: `moved to`. */
  moving: 1 << 1,
  goal: 1 << 2,
  /** A choice if the project does it: `we go with X`. */
  choosing: 1 << 3,
  project: 1 << 4,
  /** A fault with a number that means one: `answers 503`. */
  answering: 1 << 5,
  code: 1 << 6,
  /** `From now on`. */
  from: 1 << 7,
  now: 1 << 8,
  /** `Has to`. */
  have: 1 << 9,
  /** A rule about all where a clause begins. */
  all: 1 << 10,
  /** May be an order where a clause begins. */
  base: 1 << 11,
  /** Leaves open whether its clause has a subject. */
  open: 1 << 12,
  adverb: 1 << 13,
  /** Begins a clause. */
  cut: 1 << 14,
  /** Cannot be in a heading. */
  closed: 1 << 15,
  /** Makes an order a step: `check X by running Y`. */
  order: 1 << 16,
  step: 1 << 17,
}
/** Signs that may say more than a fact together, anywhere in a text. */
const pairs = [
  sign.moving | sign.goal,
  sign.choosing | sign.project,
  sign.answering | sign.code,
  sign.from | sign.now,
  sign.order | sign.step,
]

/** Signs of a word. A name has those of its letters, but not those of a verb. */
interface Signs {
  word: number
  verb: number
}
const none: Readonly<Signs> = { word: 0, verb: 0 }
const known = new Map<string, Signs>()

function add(words: Iterable<string>, kind: keyof Signs, bits: number): void {
  for (const word of words) {
    const signs = known.get(word) ?? { ...none }
    signs[kind] |= bits
    known.set(word, signs)
  }
}

add(tellingWords, 'word', sign.telling)
add([...beForms, ...doForms, ...modals, ...prepositions], 'word', sign.open)
add(haveForms, 'word', sign.open | sign.have)
add([...adverbs, 'hence', 'therefore'], 'word', sign.open | sign.adverb)
add([...conjunctions, ...subordinators, 'that', 'which', 'who'], 'word', sign.cut)
add(['to', 'onto', 'into'], 'word', sign.open | sign.goal)
add(['all', 'every', 'each'], 'word', sign.all)
add([...determiners, ...pronouns], 'word', sign.closed)
add(['then'], 'word', sign.cut)
add(['by', 'if'], 'word', sign.step)
add(['from'], 'word', sign.from)
add(['now'], 'word', sign.now)
add(
  wordSet('we us project repo repository code codebase base app application product team site'),
  'word',
  sign.project,
)
add(['0'], 'word', sign.code)
const answering = wordSet('return throw raise give answer respond log report show yield print')
for (const [word, forms] of verbs)
  for (const { lemma, form } of forms) {
    const isChanged = changing.has(lemma) && changedForms.has(form)
    // `Backups are kept`
    const isTold = tellingVerbs.has(lemma) || failing.test(lemma) || (isChanged && word !== 'kept')
    if (isTold) add([word], 'verb', sign.telling)
    const isMoving = (moving.has(lemma) || raising.has(lemma)) && lemma !== 'go'
    if (isMoving) add([word], 'verb', sign.moving)
    if (lemma === 'go' || lemma === 'keep') add([word], 'verb', sign.choosing)
    if (answering.has(lemma)) add([word], 'verb', sign.answering)
    if (form === 'base') add([word], 'verb', sign.base)
  }

/** Plain prose in one line: no code, no shorthand, no question. */
const prose = /^[\p{L}\p{N} .,;:/()%+_@#-]+$/u
/** The first of numbered steps. */
const numbered = /(?:^|[ :])1[.)] /u
const timing = wordSet('when while unless before during after until')

/**
 * True for a text that only states a fact, judged by its words alone: a first look, after which it needs no
 * reading (rules.md 1.2). False means that reading must decide. A rule, a decision, a problem and so on have
 * one of the words above, or are orders.
 */
export function isPlainFact(text: string): boolean {
  if (!prose.test(text) || numbered.test(text)) return false
  if (labels.test(text) || dayOf.test(text) || leadInLength(text) > 0) return false
  const colon = text.indexOf(': ')
  if (colon > 0 && program.test(text.slice(colon + 1).trimStart())) return false
  const look = new Look()
  return text.split(' ').every(written => written === '' || look.passes(written)) && look.isPlain()
}

/** State after the words so far. */
class Look {
  #seen = 0
  /** The word before; empty at the start of the text. */
  #before = ''
  /** Signs of the last word before this one, without adverbs. */
  #last = 0
  #hasSubject = false
  /** True in what looks like an order unless it ends with a colon: `Deploy target: Heroku`. */
  #isHeading = false

  /** @returns false if the next word, as written, may say more than a fact */
  passes(written: string): boolean {
    const core = /[\p{L}\p{N}][^.,;:()]*/u.exec(written)
    if (!core || core.index > 0) {
      if (this.#isHeading) return false
      this.#hasSubject = false
    }
    if (!core) return true
    const [word] = core
    const lower = word.toLowerCase()
    const { word: always, verb } = known.get(lower) ?? none
    const isName = this.#hasSubject && /^\p{Lu}/u.test(word) && !/^\p{Lu}{2,}s$/u.test(word)
    const bits = isName ? always : always | verb
    if (this.#tells(lower, bits) || this.#hasTellingPart(written)) return false
    this.#seen |= bits
    if (this.#before === '' && bits & sign.base) {
      this.#seen |= sign.order
      this.#isHeading = !askingVerbs.has(lower)
    }
    const mark = written.slice(core.index + word.length)
    if (this.#isHeading && (bits & (sign.open | sign.cut | sign.closed) || !/^:?$/u.test(mark))) return false
    if (mark === ':') this.#isHeading = false
    if (bits & sign.cut || mark !== '') this.#hasSubject = false
    else if (!(bits & sign.open) && !/[^aeious]ly$/u.test(lower)) this.#hasSubject = true
    if (!(bits & sign.adverb)) this.#last = bits
    this.#before = lower
    return true
  }

  isPlain(): boolean {
    return !this.#isHeading && !pairs.some(pair => (this.#seen & pair) === pair)
  }

  #tells(lower: string, bits: number): boolean {
    const isFirst = this.#before === ''
    if (bits & sign.telling) return true
    // `Backups are kept`
    if (lower === 'kept') return !/^(?:is|are)$/u.test(this.#before)
    if (isFirst && /^(?:to|steps)$/u.test(lower)) return true
    if (!this.#hasSubject && bits & (sign.all | sign.choosing)) return true
    if (!this.#hasSubject && bits & sign.base && !isFirst) return true
    if (bits & sign.goal && this.#last & sign.have) return true
    return this.#before === 'on'
      ? timing.has(lower)
      : lower === 'new' && /^(?:all|every)$/u.test(this.#before)
  }

  /** True for words without a space, one of which may say more than a fact: `stale/broken`, `scan,build`. */
  #hasTellingPart(written: string): boolean {
    if (/^\p{L}+[.,:;]?$/u.test(written)) return false
    const lower = written.toLowerCase()
    let isAlone = !this.#hasSubject
    let end = 0
    for (const { 0: part, index } of lower.matchAll(/[\p{L}\p{N}]+/gu)) {
      const { word, verb } = known.get(part) ?? none
      isAlone ||= /[,;:(]/u.test(lower.slice(end, index))
      end = index + part.length
      if (word & sign.telling || (isAlone && verb & sign.base)) return true
      if (word & sign.code || /^[45]\d\ds?$/u.test(part)) this.#seen |= sign.code
      isAlone = false
    }
    return false
  }
}
