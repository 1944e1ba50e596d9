import type { LineReading } from './reading.js'
import { isForm, tag } from './syntax/tag.js'
import { type Token, tokensOf } from './syntax/tokens.js'

const longestTask = 80

/** Programs that are called in a terminal. */
export const program =
  /^(?:`|\$ |\.\/|(?:git|npm|npx|pnpm|yarn|bun|make|docker|podman|kubectl|helm|terraform|tofu|ansible(?:-playbook)?|ssh|scp|tsh|curl|psql|pg_dump|cargo|go|python3?|pip|poetry|uv|airflow|dbt|aws|gcloud|az|gh|glab|systemctl|journalctl|rake|bundle|mvn|gradle|gradlew|just|task|bazel|nix|sbatch|rsync|mysql|redis-cli|vault|flyctl|vercel|netlify|wrangler|fastlane|pytest|tox|composer|php|rails|dotnet|apt|brew|sudo|openssl|adb|xcodebuild|west|idf\.py|esptool|dfu-util|step|sops)\b)/u

/** Steps of a task: `To release: bump the version, tag it, push.` */
export function readProcedure(
  reading: LineReading,
  sentences: readonly (readonly Token[])[],
  from: number,
): boolean {
  if (/^(?:decision|adr|rule|known|lesson|learned|til|preference)/u.test(reading.label)) return false
  const text = inOneLine(reading.text.slice(from).trim())
  // Steps behind a fault are its workaround.
  if (/[;,.] (?:the |a |as )?work-?around\b/iu.test(text)) return false
  const first = sentences[0] ?? []
  const found =
    titledSteps(text) ??
    goalFirst(first, reading, text) ??
    headedSteps(text) ??
    condition(text) ??
    orderOfSteps(text) ??
    byRunning(text)
  if (!found) return false
  const [task, steps] = found
  const name = task
    .replace(/^(?:how to|to|steps (?:to|for)|how we|for (?:a |an |the )?)\s*/iu, '')
    .replace(/[,:]$/u, '')
    .replace(/ (?:steps|checklist|procedure|like this|like so)$/iu, '')
    .trim()
  if (
    name === '' ||
    name.length > longestTask ||
    /^(?:(?:do |prevent |avoid |fix |achieve )?(?:this|that|it|so))$/iu.test(name)
  )
    return false
  if (/^(?:we|you|it|there|this|he|she|they) /iu.test(steps)) return false
  // `Timeouts: connect 2 s, read 30 s`
  if (stepsIn(steps).every(one => /^\S+ [<>~]?\d\S*(?: \p{L}{1,7})?$/u.test(one))) return false
  reading.cues.add('procedure')
  reading.statement(
    reading.project,
    { aspect: 'procedures', attribute: lowerFirst(name) },
    stepsIn(steps).join(' → '),
    { by: 'procedure' },
  )
  return true
}

const step = /^\s*(?:\d{1,2}[.)]|[-*•])\s+(?:\[[ x]\]\s+)?/u

/** A task with a list of steps below it, as one line: `To release: bump the version; tag it`. */
function inOneLine(text: string): string {
  const lines = text.split('\n')
  const [head = '', ...rest] = lines
  if (stepsBelow(lines, 0) === 0) return text
  const steps = rest.map(line => line.replace(step, '').replace(/(?<![.;,\s])[.;,\s]+$/u, ''))
  return `${head.replace(/^#+ /u, '').replace(/(?<![:\s])[:\s]+$/u, '')}: ${steps.join('; ')}`
}

const aim =
  /^(?:#{1,6} )?(?:to|how to|how we|steps (?:to|for)|\p{L}{3,}ing) \S|\b(?:steps|procedure|checklist|runbook|rollback|failover|restore|release|deployment|recovery|setup)(?: (?:steps|process|procedure|checklist))?:?\s*$/iu

/** Headings of lists in which orders are rules or plans. */
const standing =
  /\b(?:rules?|conventions?|principles?|polic(?:y|ies)|guidelines?|standards?|decisions?|preferences?|to-?dos?|tasks|tickets|goals?|plans?|planned|next|agenda|later|ideas?|roadmap|wishes|requirements?|dos|don['’]ts|please|remember|always|never|changes|changelog|features?|fixes|notes?|review|summary|topics?)\b/iu

/** How many lines below a heading are its steps: orders, or commands, in a numbered list. */
export function stepsBelow(lines: readonly string[], at: number): number {
  const head = lines[at]?.trim() ?? ''
  if (!/:$|^#{1,6} /u.test(head) || head.length > longestTask) return 0
  const end = lines.findIndex((line, row) => row > at && !step.test(line))
  const items = lines.slice(at + 1, end < 0 ? undefined : end)
  const areNumbered = items.every(line => /^\s*\d/u.test(line))
  const orders = items.filter(line => {
    const told = line.replace(step, '')
    // `branch cut: every second Monday`
    if (/^\p{Ll}+(?: \p{Ll}+)?: /u.test(told)) return false
    return program.test(told) || isOrder(/^[a-z-]+/iu.exec(told)?.[0] ?? '')
  })
  const isTold = items.length >= 2 && orders.length * 2 >= items.length
  const isTask = aim.test(head) || (areNumbered && orders.length >= 2 && !standing.test(head))
  return isTold && isTask && (areNumbered || orders.length === items.length) ? items.length : 0
}

type Steps = readonly [task: string, steps: string]

function lowerFirst(text: string): string {
  return text.replace(/^\p{Lu}(?=\p{Ll})/u, letter => letter.toLowerCase())
}

const isOrder = (word: string): boolean => {
  const [token] = tokensOf(word)
  if (!token) return false
  tag([token])
  return isForm(token, 'base') && !/^(?:need|mean|lead|own|cost|like)$/u.test(token.lower)
}

function stepsIn(told: string): string[] {
  const cut = told
    .replace(/\s+/gu, ' ')
    .replace(/(?<![. ])[. ]+$/u, '')
    .replace(/,\s+((?:(?:and|then|finally|first) )*)([a-z-]+)\b/giu, (whole, joint: string, word: string) =>
      isOrder(word) ? `; ${joint}${word}` : whole,
    )
    .replace(/ and (?=([a-z-]+) )/gu, (whole, word: string) =>
      isOrder(word) && !/^(?:time|test|point|run|build|check|plan|set|name|log)$/u.test(word) ? '; ' : whole,
    )
  return cut
    .split(/;|(?:,|\band\b)? ?\bthen\b,?|→|->|(?:^|[ ,])\d[.)] /u)
    .map(step => step.replace(/^(?:(?:and|first|then|finally)\s+|,\s*)+/giu, '').trim())
    .filter(step => step !== '')
}

/** How many parts begin with an order. */
function ordersIn(told: string): number {
  return told
    .split(/[,;→]|\bthen\b|\band\b|\d[.)]\s/u)
    .filter(part => isOrder(/^(?:first |then |finally )?([a-z-]+)\b/iu.exec(part.trim())?.[1] ?? '')).length
}

/** `How to X: …`, `Steps to X: …`. */
function titledSteps(text: string): Steps | undefined {
  const [, task, steps] = /^(how to [^:]+?|steps (?:to|for) [^:]+?):\s*(.+)$/iu.exec(text) ?? []
  return task && steps ? [task, steps] : undefined
}

const stepVerb =
  /^(?:hold|turn|unplug|plug|scan|pick|choose|select|visit|enter|run|use|call|open|go|do|set|execute|start|type|press|edit|send|create|add|ask|stop|restart|deploy|copy|put|drop|click|push|pull|check|export|import|install|delete|remove|change|write|upload|purge|scale|drain|tag|merge|log|fetch|build|apply|mail|wait|sync|switch|download|enable|disable|rebuild|update|pin|bump)$/u

/** `To reset staging run …`, `To X, do …`, `To X: …`. */
function goalFirst(first: readonly Token[], { text: whole }: LineReading, text: string): Steps | undefined {
  if (!/^to$/iu.test(first[0]?.text ?? '')) return undefined
  const [, headed, rest] = /^(to [^:]+?):\s+(.+)$/iu.exec(text) ?? []
  // `To contributors: …`
  const isPlural = /[^su]s$/u.test(first[1]?.lower ?? '') && !isForm(first[1], 'base')
  const isAddressed = isPlural || first[1]?.cls === 'determiner'
  if (headed && rest) return isAddressed ? undefined : [headed, rest]
  for (let at = 2; at < first.length; at++) {
    const token = first[at] as Token
    const before = first[at - 1] as Token
    if (token.text === ',') break
    const isStep =
      token.kind === 'code' ||
      (stepVerb.test(token.lower) &&
        isForm(token, 'base') &&
        first[at + 1] !== undefined &&
        first[at + 1]?.kind !== 'mark')
    if (isStep && ['noun', 'name', 'verb', 'adverb', 'number'].includes(before.cls) && before.cls !== 'to')
      return [whole.slice(first[0]?.start, before.end), whole.slice(token.start)]
  }
  const [, task, steps] = /^(to [^,]+?),\s+(.+)$/iu.exec(text) ?? []
  return task && steps ? [task, steps] : undefined
}

/** A heading with steps: `Release steps: …`, `Draining a node: kubectl …`. */
function headedSteps(text: string): Steps | undefined {
  const [, head, steps] = /^([^:.]{3,70}?)(?::| →| ->)\s+(.+)$/u.exec(text) ?? []
  if (!head || !steps) return undefined
  const count = ordersIn(steps)
  const isGerund = isForm(tokensOf(head)[0], 'ing')
  const isListed =
    /\b(?:steps|checklist|procedure|process|runbook|recipe|how-?to|instructions|workflow|flow)$/iu.test(head)
  const isCase = /^(?:for|when|before|after|if)\b/iu.test(head)
  const isNumbered = /^1[.)]\s.*\b2[.)]\s/u.test(steps)
  if (
    / like (?:this|so)$/iu.test(head) ||
    count >= 2 ||
    isNumbered ||
    (count === 1 && (isGerund || isListed || isCase))
  )
    return [head, steps]
  const isCalled =
    program.test(steps) &&
    (!steps.startsWith('`') || /^`[^` ]* [^`]*`/u.test(steps)) &&
    !/\b(?:is|are|was|must|should)\b/u.test(steps)
  return isCalled && steps.split(' ').length > 1 ? [head, steps] : undefined
}

/** `If X, do Y`, `Kiosk stuck? Do Y`. */
function condition(text: string): Steps | undefined {
  const [, asked, answer = ''] = /^(\p{L}[^?.!,]{3,60})\? (\p{Lu}.+)$/u.exec(text) ?? []
  if (
    asked &&
    !/^(?:who|what|why|how|where|when|which|is|are|can|could|should|do|does|did|has|have)\b/iu.test(asked)
  )
    return isOrder(/^[a-z]+/iu.exec(answer)?.[0] ?? '') ? [asked, answer] : undefined
  const [, when, task, steps = ''] =
    /^((?:if|when|whenever|once|after|before) ([^,]+)), (?:just |simply |first |please |then )?(.+)$/iu.exec(
      text,
    ) ?? []
  const [word = ''] = /^[a-z]+/iu.exec(steps) ?? []
  // ``When the index is stale run `reindex` ``
  const [, uncut, called] =
    /^((?:if|when|whenever) [^,`]{5,60}?) ((?:run|call|execute|restart) `[^`]+`.*)$/iu.exec(text) ?? []
  if (uncut && called) return [uncut, called]
  // `Clear the cache if the build fails`
  const [, does = '', order = '', fault] =
    /^(([a-z]+) [^,.:;]{3,60}) (if [^,.:;]{5,80})\.?$/iu.exec(text) ?? []
  if (fault && /^(?:clear|reset|restart|reboot|rerun|rebuild|delete|kill|check|unplug|purge)$/iu.test(order))
    return [fault, does]
  return when && task && isOrder(word) && !/^(?:never|always|do|prefer|avoid)$/iu.test(word)
    ? [when, steps]
    : undefined
}

/** `Do A, then B`. */
function orderOfSteps(text: string): Steps | undefined {
  if (!/\bthen\b/iu.test(text) || ordersIn(text) < 2 || !isOrder(/^[a-z]+/iu.exec(text)?.[0] ?? ''))
    return undefined
  const [first = ''] = stepsIn(text)
  return [first.replace(/ (?:with|via|by|using) .*$/u, ''), text]
}

/** `You can X by running Y`, `Rebuild X by calling Y`. */
function byRunning(text: string): Steps | undefined {
  const [, task, steps] =
    /^(?:you can |one can |(?=\p{Lu}))([a-z][^,.]*?) by ((?:running|calling|setting|executing|sending|adding|editing|using|opening|clicking) .+)$/iu.exec(
      text,
    ) ?? []
  if (!task || !steps) return undefined
  const isOrdered = /^(?:you|one) /iu.test(text) || isOrder(/^[a-z]+/iu.exec(text)?.[0] ?? '')
  return isOrdered ? [task, steps] : undefined
}
