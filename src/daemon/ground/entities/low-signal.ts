import type { SummaryHead } from '../../../store/tables/sessions/summary-nodes.js'
import { nameWords } from './name-key.js'

/** Words that are not worth a lookup, alone or together. */
const fillers = new Set(
  (
    'hi hello hey hallo hola bonjour ciao yo good morning afternoon evening night thanks thank you thx ty danke merci ' +
    'ok okay k kk yes yep yeah yup ja no nope nein sure right correct exactly agreed fine great nice cool perfect ' +
    'awesome excellent continue go on ahead keep going proceed next more again retry resume please pls do it that ' +
    'done stop wait lgtm y n and so then now well hmm hm uh um ah oh bye'
  ).split(' '),
)

const longest = 120

const fewestCharacters = 3

/** English words that name nothing by themselves. A name is generic when it has no other words. */
const genericWords = new Set(
  [
    'a an the this that these those such same other another any some all both each every none',
    'i me my mine we us our ours you your yours he him his she her hers it its they them their theirs one ones',
    'who whom whose what which where when why how here there',
    'and or but not no yes of in on at by for from to with without as is are was were be been',
    'new old first second third last next previous current former latest main general various several many few more most',
    'good bad big small right wrong true false null undefined unknown misc other todo tbd',
    'thing things something anything nothing everything stuff item items object objects element elements',
    'user users person people someone somebody anyone anybody everyone everybody nobody human humans guy guys',
    'system systems project projects application applications app apps program programs software tool tools',
    'code file files folder folders directory directories function functions method methods class classes module modules',
    'component components service services feature features data information info content text string number value values',
    'name names type types list lists table tables field fields key keys id ids parameter parameters option options',
    'setting settings config configuration version versions part parts piece pieces section sections page pages',
    'issue issues problem problems error errors bug bugs fix fixes change changes update updates task tasks step steps',
    'question questions answer answers request requests response responses result results output input example examples',
    'way ways case cases point points place places time times day days week weeks month months year years',
    'today yesterday tomorrow now later soon morning evening night hour hours minute minutes second seconds',
    'monday tuesday wednesday thursday friday saturday sunday',
    'assistant agent agents memory memories conversation conversations message messages session sessions context',
    'idea ideas concept concepts topic topics note notes detail details reason reasons work process',
  ]
    .join(' ')
    .split(' '),
)

/**
 * True for a prompt that names nothing to look up: too short, a greeting, `ok`, `continue`, or a command of
 * the harness (rules.md 4.10).
 */
export function isLowSignal(prompt: string): boolean {
  const text = prompt.trim()
  if (/^\/[\w:-]+(?:\s|$)/u.test(text)) return true
  if (text.length > longest) return false
  const words = nameWords(text)
  const characters = words.reduce((sum, word) => sum + word.length * (isDense(word) ? 2 : 1), 0)
  return characters < fewestCharacters || words.every(word => fillers.has(word))
}

/** A character of these scripts carries as much meaning as several letters. */
function isDense(word: string): boolean {
  return /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(word)
}

/** Words of requests that only repeat a step of everyday work: `run the tests again`. */
const routine = new Set(
  'run rerun the all my a test tests build lint linter format formatter commit push pull check checks try start restart server it them once'.split(
    ' ',
  ),
)

/** Answers from this length on say something, even to a greeting. */
const substantialAnswer = 160

/** A session that only greeted, agreed or repeated a step has nothing to tell. */
export function hasSubstance({ kind, content }: Pick<SummaryHead, 'kind' | 'content'>): boolean {
  if (kind !== 'session') return true
  const request = /^Asked: (.*)$/mu.exec(content)?.[1]
  if (request === undefined) return content.trim() !== ''
  const answer = content
    .replace(/^Asked: .*$/mu, '')
    .replace(/^Answered: /gmu, '')
    .trim()
  const isRoutine = nameWords(request).every(word => fillers.has(word) || routine.has(word))
  return !(isLowSignal(request) || isRoutine) || answer.length >= substantialAnswer
}

/**
 * True if a name is too generic to identify anything (operations.md 5.6): only generic words, or only digits.
 * Names in languages other than English always count as specific.
 */
export function isGenericName(name: string): boolean {
  return nameWords(name).every(word => genericWords.has(word) || /^\p{N}+$/u.test(word))
}
