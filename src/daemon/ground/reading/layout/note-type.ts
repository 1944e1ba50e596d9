import { beginsAsCommit } from '../commits.js'
import { readLine } from '../read-line.js'
import type { Cue, LineReading, ReadingContext } from '../reading.js'
import { isPlainFact } from './plain-fact.js'

export type NoteType = 'preference' | 'decision' | 'rule' | 'learning' | 'issue' | 'procedural' | 'fact'

/** Longer texts are documents, whose type no sentence tells, unless they are commit messages. */
const longest = 1200

const nobody: ReadingContext = {
  project: { name: 'project', type: 'project' },
  saidAt: '',
  find: () => undefined,
  isSpoken: false,
  isAlone: true,
}

/** @returns undefined if nothing in the text shows its type; a plain sentence is a fact */
export function typeOfNote(text: string): NoteType | undefined {
  if (text.length > longest) return beginsAsCommit(text) ? 'fact' : undefined
  return isPlainFact(text) ? 'fact' : typeOfReading(readLine(text, nobody))
}

const labelled: readonly (readonly [RegExp, NoteType])[] = [
  [/^(?:decision|decided|agreed|adr|rfc)/u, 'decision'],
  [/^(?:rule|policy|convention)$/u, 'rule'],
  [/^(?:known|issue|bug|flaky|problem|caveat|gotcha)/u, 'issue'],
  [/learn|lesson|^til|mortem/u, 'learning'],
  [/^preference$/u, 'preference'],
  [/^fact$/u, 'fact'],
]

const changes: readonly RegExp[] = [
  // `LoRa dropped, telemetry goes over LTE now`
  /^\p{Lu}\S+(?: \S+)? (?:is |are |was |were |has been )?(?:dropped|retired|scrapped|removed|gone|out|deprecated|swapped)\b.*\b(?:now|instead|the new)\b/u,
  // `Mails are sent by Postmark now, SendGrid is only kept for newsletters`
  /\bnow, \p{Lu}\S+ (?:is|are) (?:only|no longer) (?:kept|used)\b/u,
  /\breplaces? .{1,60}\b(?:for (?:all|every|any) new|starting (?:with|from))\b/u,
]

function tellsChange(text: string): boolean {
  return changes.some(form => form.test(text))
}

/** Finds the type that a person would give a note, from its label and the signs in its sentences. */
export function typeOfReading({ label, cues, facts, text }: LineReading): NoteType | undefined {
  const byLabel = labelled.find(([form]) => label !== '' && form.test(label))?.[1]
  if (byLabel) return byLabel
  if (cues.has('commit')) return 'fact'
  const has = (cue: Cue): boolean => cues.has(cue)
  if (has('lesson')) return 'learning'
  if (has('procedure')) return 'procedural'
  if (has('preference') && !has('rule')) return 'preference'
  if (/\b(?:workaround|known (?:issue|problem|bug))\b/iu.test(text)) return 'issue'
  if (/^(?:no more \S.{0,60})?from now on\b/iu.test(text) && !has('order'))
    return has('rule') ? 'rule' : 'decision'
  if (/^(?:as of|from|starting|since) .{1,60}\b(?:all|every) new\b/iu.test(text)) return 'decision'
  if (has('rule') && !has('decision')) return 'rule'
  if (tellsChange(text)) return 'decision'
  if (has('decision')) return 'decision'
  if (facts.some(({ aspect }) => aspect === 'problems')) return 'issue'
  if (has('hedge'))
    return /\b(?:nothing|not|never)\b.{0,80}\bdecided\b|^(?:i |we )?heard\b/iu.test(text) ? 'fact' : undefined
  if (has('problem')) return 'issue'
  if (has('order')) return 'rule'
  return facts.length > 0 ? 'fact' : undefined
}
