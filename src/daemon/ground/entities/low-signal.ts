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
