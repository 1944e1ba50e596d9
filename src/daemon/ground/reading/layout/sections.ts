import { stepsBelow } from '../procedures.js'
import type { ReadingContext } from '../reading.js'
import { isHead } from '../words/values.js'
import { keyTopic, type Topic, topicOf } from './topics.js'

/** Lines of a text that speak of one thing. */
export interface Section {
  /** Undefined where no heading names a thing. */
  topic: Topic | undefined
  body: string
  /** Line that says it, if the body is not written so: the row of a table. */
  quote?: string
}

interface OpenTopic {
  level: number
  topic: Topic | undefined
  /** Set if the lines below tell one property of several things: `Ports`. */
  property?: Property | undefined
}

/** Property that a heading names for all lines below it, and its values. */
interface Property {
  /** `%` is the name of the thing. */
  key: string
  form: RegExp
}

const person =
  /^@?\p{L}[\p{L}'’-]*(?: \p{L}[\p{L}'’-]*){0,2}(?: \([^()]{2,40}\))?(?:(?:,| and) \p{Lu}\p{L}+){0,3}$/u
const address = /^<?(?:https?:\/\/\S+|[\w-]+(?:\.[\w-]+)+(?::\d+)?(?:\/\S*)?)>?$/u
const amount = /^[~<>≤≥]? ?\d\S*(?: [\p{L}/%]{1,12}){0,3}$/u
const properties: readonly (readonly [heading: RegExp, property: Property])[] = [
  [/^ports?(?: (?:used|in use|map(?:ping)?))?$/iu, { key: '% port', form: /^:?\d{2,5}$/u }],
  [
    /^(?:urls?|links|environments?|endpoints?|addresses|hosts?|dashboards)$/iu,
    { key: '% url', form: address },
  ],
  [/^(?:code ?)?owners?(?:hip)?$/iu, { key: 'Owner of %', form: person }],
  [/^maintainers?$/iu, { key: 'Maintainer of %', form: person }],
  [
    /^(?:contacts?|who to ask|people to ask|responsibilities|responsible)$/iu,
    { key: 'Contact for %', form: person },
  ],
  [/^on[- ]?call$/iu, { key: 'On-call for %', form: person }],
  [/^(?:tool )?versions?$/iu, { key: '% version', form: /^v?\d[\w.+-]*$/u }],
  [/^(?:timeouts?|limits?|quotas?|budgets?|retention)$/iu, { key: '% $', form: amount }],
]

/** `Ports:` and `## Owners`: each line below names a thing and its value. */
function propertyOf(title: string): Property | undefined {
  const name = title.replace(/^[#*\s]+|(?<![\s:*])[\s:*]+$/gu, '')
  const found = properties.find(([heading]) => heading.test(name))?.[1]
  return found && { ...found, key: found.key.replace('$', name.toLowerCase().replace(/s$/u, '')) }
}

/** Levels below those of `######`: a line in bold, a line before a list, a key, a row. */
const boldLevel = 7
const listLevel = 8
const keyLevel = 9
const longestHeading = 80
const longestRow = 1500

const listItem = /^\s*(?:[-*•+]|\d{1,2}[.)])\s+\S/u
const keyed = /^(?:[-*]\s+)?\**(\p{L}+)\**:\**\s+(\S.{0,60})$/u
const fence = /^\s*(?:```|~~~)/u

/**
 * Splits a text where a heading names a thing: `# Billing service`, `Drive board:` before a list, or
 * `Service: billing` before other keys. A heading that names nothing stays in the text.
 * @param base what the whole text is about, if its front matter says so
 */
export function sectionsOf(text: string, find: ReadingContext['find'], base?: Topic): Section[] {
  const lines = text.split(/\r?\n/u)
  const reader = new SectionReader(find, base)
  let isFenced = false
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    if (fence.test(line)) isFenced = !isFenced
    const rows = isFenced ? 0 : reader.table(lines, at)
    const steps = isFenced ? 0 : stepsBelow(lines, at)
    if (rows > 0) at += rows - 1
    else if (steps > 0) {
      for (const one of lines.slice(at, at + steps + 1)) reader.add(one)
      at += steps
    } else if (isFenced || fence.test(line)) reader.add(line)
    else at += reader.line(line, lines[at + 1] ?? '', nextWritten(lines, at + 1))
  }
  return reader.sections.filter(({ body }) => body.trim() !== '')
}

function nextWritten(lines: readonly string[], from: number): string {
  return lines.slice(from, from + 2).find(line => line.trim() !== '') ?? ''
}

class SectionReader {
  readonly sections: Section[] = []
  #open: OpenTopic[]

  constructor(
    readonly find: ReadingContext['find'],
    base: Topic | undefined,
  ) {
    this.#open = base ? [{ level: 0, topic: base }] : []
  }

  get #property(): Property | undefined {
    return this.#open.at(-1)?.property
  }

  get #topic(): Topic | undefined {
    return this.#open.findLast(({ topic }) => topic !== undefined)?.topic
  }

  add(line: string): void {
    const told = this.#property && propertyLine(this.#property, line)
    if (told !== undefined) {
      this.sections.push({ topic: this.#topic, body: told, quote: line.trim().replace(/^[-*•]\s+/u, '') })
      return
    }
    const last = this.sections.at(-1)
    if (last && last.topic === this.#topic && last.quote === undefined) last.body += `\n${line}`
    else this.sections.push({ topic: this.#topic, body: line })
  }

  /** @returns how many of the next lines it read too */
  line(line: string, next: string, following: string): number {
    const [, marks = '', title = ''] = /^(#{1,6}) +([^#]{1,100})#*$/u.exec(line.trim()) ?? []
    if (marks !== '') {
      this.#heading(line, title, marks.length)
      return 0
    }
    const isRule = /^\s*(?:={3,}|-{3,})\s*$/u.test(next)
    if (isRule && /^\S/u.test(line) && !listItem.test(line) && !line.includes('|')) {
      this.#heading(line, line, next.includes('=') ? 1 : 2)
      return 1
    }
    const [, bold] = /^\*\*([^*]{2,60})\*\*:?\s*$/u.exec(line.trim()) ?? []
    if (bold) {
      this.#heading(line, bold, boldLevel)
      return 0
    }
    if (/^[^\s:][^:]{1,60}:\s*$/u.test(line) && listItem.test(following)) {
      this.#heading(line, line, listLevel)
      return 0
    }
    this.#close(line)
    if (!this.#key(line, following)) this.add(line)
    return 0
  }

  /** A list ends with the first line outside it, the keys of a thing with an empty line. */
  #close(line: string): void {
    const isWritten = line.trim() !== ''
    if (isWritten && !listItem.test(line) && !/^\s{2,}/u.test(line)) this.#closeFrom(listLevel, keyLevel)
    if (!isWritten) this.#closeFrom(keyLevel)
  }

  #closeFrom(level: number, below = Number.POSITIVE_INFINITY): void {
    this.#open = this.#open.filter(one => one.level < level || one.level >= below)
  }

  #heading(line: string, title: string, level: number): void {
    this.#closeFrom(level)
    const property = propertyOf(title)
    const topic = property || title.length > longestHeading ? undefined : topicOf(title, this.find)
    // `## Ports` below `# Billing service` speaks of the service.
    const isPart = topic !== undefined && !topic.isSure && this.#topic?.isSure === true
    this.#open.push({ level, topic: isPart ? undefined : topic, property })
    if (!topic) this.add(line)
  }

  /** `Service: billing` before other keys, or `Service: billing, Port: 80` in one line. */
  #key(line: string, following: string): boolean {
    const [first = '', ...rest] = line.split(/[,;]\s+(?=\p{L}[\p{L} ]{0,30}:\s)/u)
    const [, key = '', told = ''] = keyed.exec(first.trim()) ?? []
    const topic = keyTopic(key, told, this.find)
    const isAlone = rest.length === 0
    const isTopic = /^topic|^subject/iu.test(key)
    if (!topic || (isAlone && !isTopic && !keyed.test(following.trim())) || (isAlone && following === ''))
      return false
    this.#closeFrom(keyLevel)
    for (const part of rest) this.sections.push({ topic, body: part, quote: part.trim() })
    if (isAlone) this.#open.push({ level: keyLevel, topic })
    return true
  }

  /** Reads a table that names a thing in each row; @returns the number of its lines */
  table(lines: readonly string[], at: number): number {
    const header = cellsOf(lines[at] ?? '')
    if (header.length < 2 || !isTableRule(lines[at + 1] ?? '')) return 0
    const end = lines.findIndex((line, row) => row > at + 1 && !line.includes('|'))
    const rows = lines.slice(at + 2, end < 0 ? undefined : end)
    for (const row of rows) this.#row(header, row)
    return rows.length + 2
  }

  #row([first = '', ...header]: readonly string[], row: string): void {
    const [name = '', ...cells] = cellsOf(row)
    const quote = row.trim()
    if (/^(?:key|setting|property|field|attribute|what|item)?$/iu.test(first)) {
      const [value = ''] = cells
      if (header.length === 1 && value !== '')
        this.sections.push({ topic: this.#topic, body: `${name}: ${value}`, quote })
      return
    }
    const topic = keyTopic(/^name$/iu.test(first) ? 'service' : first, name, this.find)
    header.forEach((key, place) => {
      const value = cells[place] ?? ''
      const isTold = value !== '' && !/^(?:-|–|—|\?|n\/a|none|tbd)$/iu.test(value)
      if (topic && isTold && namesColumn(key)) this.sections.push({ topic, body: `${key}: ${value}`, quote })
    })
  }
}

/** `- web: 8000` below `Ports`; undefined for a line of another form. */
function propertyLine({ key, form }: Property, line: string): string | undefined {
  const [, name = '', value = ''] =
    /^\s*(?:[-*•]\s+)?[`*]{0,2}([\p{L}\d@][\p{L}\d ._/@-]{0,40}?)[`*]{0,2} ?(?::|=|->|→| [-–—])[`*]{0,2} +`?([^`]{1,80}?)`?\.?$/u.exec(
      line,
    ) ?? []
  const isItself = key.toLowerCase().includes(name.toLowerCase())
  return name !== '' && !isItself && form.test(value) ? `${key.replace('%', name)}: ${value}` : undefined
}

function namesColumn(key: string): boolean {
  return (
    isHead(key) ||
    /^(?:owners?|responsible|maintainers?|on[- ]?call|status|team|repo|repository)$/iu.test(key)
  )
}

/** `|---|:---|` below the header of a table. */
function isTableRule(line: string): boolean {
  return line.includes('--') && /^[\s|:-]+$/u.test(line)
}

function cellsOf(line: string): string[] {
  if (!line.includes('|') || line.length > longestRow) return []
  const inner = line.trim().replace(/^\|/u, '').replace(/\|$/u, '')
  return inner.split('|').map(cell => cell.trim().replace(/^[*`]{1,2}([^*`]+)[*`]{1,2}$/u, '$1'))
}
