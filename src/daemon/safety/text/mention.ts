import { oneOf, pattern } from './pattern.js'
import { isFenced, type View } from './view.js'

const contextBefore = 320
const contextAfter = 200

// Words used when writing about attacks or markup parsing, not when attacking.
const attackWords = oneOf`
  prompt[ -]?injections?|injection (?:attacks?|attempts?|tests?)|jailbreaks?|attack(?:s|er|ers|ed)?|
  adversar\w+|malicious|malware|exploit\w*|payloads?|phishing|red[ -]?team\w*|vulnerab\w+|cve-\d+|
  threat model\w*|trojan source|incidents?|honeypots?|post-?mortem|indicators? of compromise|iocs?|
  reverse shells?|supply[ -]chain|xss|csp|dangerous
`
const refusalWords = oneOf`
  never|must not|should not|(?:do not|don't) (?:run|type|paste|execute)|refus\w+|reject\w*|
  den(?:y|ies|ied)|denylist|blocklist|allowlist|block(?:s|ed|ing)|forbid\w*|forbidden|guard(?:s|ed)?
`
const scannerWords = oneOf`
  detect\w*|sanitis\w+|sanitiz\w+|escap(?:e|es|ed|ing)|strip(?:s|ped|ping)?|
  scann?(?:er|ers|s|ed|ing)?|flag(?:s|ged)|filter(?:s|ed|ing)?|linter|regex\w*|test cases?|fixtures?|
  assert\w*|expect|unit tests?
`
const markupWords = oneOf`
  tokeni[sz]\w+|chat ?ml|chat templates?|prompt (?:templates?|formats?)|special tokens?|delimiters?|
  markers?
`
const quotingWords = oneOf`
  phrases? (?:such|like)|phrases?|strings? (?:such|like)|texts? (?:such|like)|prompts? (?:such|like)|
  said|says|saying|literal(?:ly)?|quot(?:e|es|ed|ing)|wording|classic|typical|as data
`
const discussion = pattern`
  \b(?:${attackWords}|${refusalWords}|${scannerWords}|${markupWords}|${quotingWords})\b
`

// Words that turn a quotation back into an order.
const obey = pattern`
  \b(?:(?:follow|obey|execute|carry out|comply with|act on|do) (?:it|this|that|them|these|exactly|
  the (?:following|quoted|above|text|instructions?|command))|do as (?:it|the text) says|now run|
  then run|you must (?:now )?(?:follow|obey|run|execute))\b
`

const particles = oneOf`
  to|not|never|cannot|can't|don't|won't|didn't|doesn't|shouldn't|mustn't|wouldn't|may|might|could|can|
  would|will|should|must|did|does|didnt|as|like|that|which|who|or|if|when|avoid|prevents?|without|
  versus|vs\.?|e\.g\.
`
const speakers = oneOf`
  they|it|he|she|we|i|users?|people|attackers?|models?|llms?|agents?|assistants?|bots?|claude|chatgpt|
  gpt-?\d?|copilot|gemini|codex|prompts?|pages?|documents?|readmes?|emails?|issues?|phrases?|texts?|
  strings?|says?|said|saying|called|named|titled
`
const reporters = pattern`(?:^|[\s"'(])(?:${particles}|${speakers})[ *_~]*$`

const mayOrMust = oneOf`
  must|should|shall|will|can|may|need to|have to|are to|ought to|
  are (?:required|instructed|ordered|authorized|allowed|asked|told|supposed|expected) to
`
const wanting = oneOf`
  want|ask|asks|order|command|instruct|need|tell|require|urge|expect|authorize|allow|force
`
const purpose = oneOf`task|job|goal|duty|mission|step|objective|purpose`
const urging = oneOf`
  remember|make sure|be sure|proceed|need|time|start|begin|required|important|necessary|able|free|
  going|now
`
const readers = oneOf`agents?|assistants?|models?|claude|chatgpt|copilot|gemini|codex|llms?`
const commanders = pattern`
  (?:\byou ${mayOrMust}|\b${wanting}(?:ed|ing|s)? you to|
  \byour (?:only |new |real |first |next |main )*${purpose} is to|\b${urging}[,: ]+to|
  \b${readers}(?: reading this)? (?:must|shall|should|will|has to|have to|needs? to)
  )(?: (?:now|always|also|just|simply|first|immediately|completely|please|then))*[ *_~]*$
`

/** True when the words before an order only report it ("attackers ask the model to ignore ..."). */
export function isReported(text: string, start: number): boolean {
  const before = text.slice(Math.max(0, start - 90), start)
  const clause = before.slice(lastBreak(before) + 1)
  return reporters.test(clause) && !commanders.test(clause)
}

function lastBreak(text: string): number {
  return Math.max(...[...'.:;!?\n,([{<>"`|#—–'].map(mark => text.lastIndexOf(mark)))
}

/**
 * True when the span [start, end) is quoted or fenced in a text about attacks that does not ask to follow the
 * quotation. Text without quotation marks always counts as meant.
 */
export function isMention(view: View, start: number, end: number): boolean {
  if (!isQuoted(view.text, start, end) && !isFenced(view, start)) return false
  const before = view.text.slice(Math.max(0, start - contextBefore), start)
  const around = `${before} ${view.text.slice(end, end + contextAfter)}`
  return discussion.test(around) && !obey.test(around)
}

/** True when a quotation mark opens before the span and closes after it on the same line. */
function isQuoted(text: string, start: number, end: number): boolean {
  const before = text.slice(Math.max(0, start - contextBefore), start)
  const line = before.slice(before.lastIndexOf('\n') + 1)
  const ahead = text.slice(end, end + contextBefore).split('\n', 1)[0]!
  return ['"', '`', "'"].some(mark => opens(line, mark) && closes(ahead, mark))
}

/** The last mark opens a quotation when no word ends at it and no blank follows, unlike an apostrophe. */
function opens(line: string, mark: string): boolean {
  const at = line.lastIndexOf(mark)
  return at >= 0 && !/[a-z0-9.!?)]/.test(line[at - 1] ?? ' ') && !/\s/.test(line[at + 1] ?? 'x')
}

function closes(ahead: string, mark: string): boolean {
  for (let at = ahead.indexOf(mark); at >= 0; at = ahead.indexOf(mark, at + 1)) {
    if (!/[a-z0-9]/.test(ahead[at + 1] ?? ' ')) return true
  }
  return false
}
