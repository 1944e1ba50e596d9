import { readLine } from '../read-line.js'
import { type Fact, LineReading, type ReadingContext } from '../reading.js'
import type { Topic } from './topics.js'

/** The name that a line gets as its subject, where it has none. */
const placeholder = 'topic_0'

/** Aspects of the project, whatever a heading names. */
const ofProject = new Set([
  'rules',
  'decisions',
  'preferences',
  'problems',
  'workarounds',
  'lessons',
  'procedures',
])

/** A statement of the project, even below the heading of a part. */
const ofWhole =
  /\b(?:our|us|the (?:project|team|company|repo))\b|^we (?!(?:use|run|deploy|host|store|keep|build)\b)/iu
const part = /^(?:it|this (?:service|app|component|module|tool|job|library|package|server|one)) /iu
const opensWithVerb = /^\p{L}{2,}s(?: \p{L}+)?:? /u
const opensWithParticiple =
  /^(?:now |also |currently )?\p{L}{2,}(?:ed|en|t|n) (?:by|in|on|with|to|at|from|via|as|for|through|into|every|daily|weekly|nightly)\b/iu
const port = /^(?:tcp |udp |http )?ports?:? (\d{2,5})$/iu
const version = /^(?:current )?(?:version|release|firmware|firmware version)(?::| is)? (v?\d[\w.-]*)$/iu
const repository = /^(?:repo|repository|source|git): (\S+)$/iu
const address = /^(?:(?:url|address|endpoint|website): )?(https?:\/\/\S+)$/iu

/** Words between the marks of Markdown: bold, italics, code, a link to another note. */
const marked =
  /(?<![\p{L}\p{N}_*`/.\\[])(?:(\*{1,3})(?=[^\s*])([^*\n]{1,120})(?<![\s\\])\1|(_)(?=[^\s_])([^_\n]{1,120})(?<![\s\\])_|(`)([^`\n]{1,120})`|(\[\[)([^[\]|\n]{1,120})\]\])(?![\p{L}\p{N}_*`])/gu
const beginsName = /^[\p{L}\p{N}@"'~<≤≥/.`]/u
const plainWords = /^\p{L}+$|\s/u

/** Reads a line below a heading, which is the subject of what the line says without one. */
export function readBelow(line: string, context: ReadingContext, { thing, isSure }: Topic): LineReading {
  if (ofWhole.test(line)) return readLine(line, context)
  const bare = line.replace(/(?<![\s.;])[\s.;]+$/u, '')
  const told = new LineReading(line, { ...context, project: thing })
  told.quote = bare
  if (readField(told, bare)) return asSaid(told, { isSure, line, context, thing })
  const below: ReadingContext = {
    ...context,
    project: thing,
    isAlone: true,
    find: name => (name.toLowerCase() === placeholder ? thing : context.find(name)),
  }
  const plain = readLine(line, below)
  if (plain.facts.length > 0) return asSaid(plain, { isSure, line, context, thing })
  const whole = wholeSentence(line)
  if (whole === undefined) return plain
  const read = readLine(whole, below)
  const isAbout = read.facts.some(({ subject, object }) => [subject, object].includes(thing))
  return isAbout ? asSaid(read, { isSure, line, context, thing }) : plain
}

/** Gives a line the subject that it leaves out. */
function wholeSentence(line: string): string | undefined {
  if (part.test(line)) return line.replace(part, `${placeholder} `)
  if (opensWithParticiple.test(line)) return `${placeholder} is ${lowerFirst(line)}`
  return opensWithVerb.test(line)
    ? `${placeholder} ${lowerFirst(line.replace(/^(\p{L}+(?: \p{L}+)?):/u, '$1'))}`
    : undefined
}

function lowerFirst(line: string): string {
  return line.charAt(0).toLowerCase() + line.slice(1)
}

/** `port 8412`, `firmware 2.4.1`, `https://…`. */
function readField(reading: LineReading, line: string): boolean {
  const extra = { by: 'heading' }
  const slots = [
    [port, 'network', 'port'],
    [version, 'versions', 'version'],
    [repository, 'network', 'repository'],
    [address, 'network', 'url'],
  ] as const
  for (const [form, aspect, attribute] of slots) {
    const value = form.exec(line)?.[1]
    if (value) return reading.value(reading.project, { aspect, attribute }, value, extra)
  }
  return false
}

interface LineBelow {
  isSure: boolean
  line: string
  context: ReadingContext
  thing: Fact['subject']
}

/** Facts with the words of the line itself; rules and decisions stay with the project. */
function asSaid(reading: LineReading, { isSure, line, context, thing }: LineBelow): LineReading {
  const kept = reading.facts.filter(
    fact =>
      ![fact.subject.name, fact.attribute, fact.value, fact.object?.name].join(' ').includes(placeholder),
  )
  reading.facts.splice(
    0,
    reading.facts.length,
    ...kept.flatMap((fact): Fact[] => {
      const quote = line.includes(fact.quote) ? fact.quote : line
      const isOfProject = ofProject.has(fact.aspect) && fact.subject === thing
      if (isOfProject) return context.project ? [{ ...fact, subject: context.project, quote }] : []
      return [{ ...fact, quote, isSure: fact.isSure && isSure }]
    }),
  )
  return reading
}

/**
 * Takes the marks of Markdown off the names and values of a line. A command stays in its marks, and so does
 * a plain word of code, which could be read as a verb: `deploy`.
 * @returns the line, and a function that finds the words of the given line for those of the result
 */
export function withoutMarks(line: string): { text: string; given(part: string): string } {
  /** Places in the given line of each character of the result. */
  const places: number[] = []
  let text = ''
  let last = 0
  const keep = (from: number, to: number): void => {
    for (let at = from; at < to; at++) places.push(at)
    text += line.slice(from, to)
  }
  for (const found of line.matchAll(marked)) {
    const [whole, , bold, , italic, , code, , link] = found
    const inner = bold ?? italic ?? code ?? link ?? ''
    if (!beginsName.test(inner) || (code !== undefined && plainWords.test(code))) continue
    const begin = found.index + whole.indexOf(inner)
    keep(last, found.index)
    keep(begin, begin + inner.length)
    last = found.index + whole.length
  }
  if (last === 0) return { text: line, given: part => part }
  keep(last, line.length)
  return {
    text,
    given: part => {
      const at = text.indexOf(part)
      // Marks beside the words belong to them.
      return at < 0 ? part : line.slice((places[at - 1] ?? -1) + 1, places[at + part.length])
    },
  }
}
