import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { dayMs } from '../../src/lib/time/time.js'
import { seededRandom } from '../index/synthetic.js'
import { decisionsMade, issuesSolved, learned, lifeOutside, otherRules, talk, trivia } from './sentences.js'

/** The lines that a person would want at a start, those that do no harm, and those that nobody wants. */
export type Worth = 'wanted' | 'fine' | 'unwanted'

interface Line {
  kind: string
  worth: Worth
  text: string
  days: number
  isPinned: boolean
  /** It belongs to no project. */
  isEverywhere: boolean
}

export interface HistoryMemory {
  id: string
  content: string
  type: string
  importance: number
  pinned: 0 | 1
  project: string | null
  createdAt: Date
  worth: Worth
  /** Memories with the same key say the same. */
  key: string
}

export interface HistorySession {
  key: string
  asked: string
  answered: string
  endedAt: Date
  worth: Worth
}

/** A project as it is after some months, with the judgment of each line. */
export interface History {
  name: string
  team: string
  project: string
  memories: readonly HistoryMemory[]
  sessions: readonly HistorySession[]
}

const folder = join(import.meta.dirname, 'histories')
const hourMs = dayMs / 24
/** Longest age of trivia; half of it is younger than an eighth of this. */
const triviaDays = 60
const savedImportance = 0.8
const shares = { otherProjects: 0.2, noProject: 0.05 }
/** Sentences that agents store about their work, by type. */
const triviaTypes: readonly (readonly [share: number, type: string, sentences: readonly string[]])[] = [
  [0.015, 'decision', decisionsMade],
  [0.015, 'issue', issuesSolved],
  [0.1, 'learning', learned],
  [1, 'fact', trivia],
]

/** Reads the histories in the order of their names; the same every time but for the present. */
export function readHistories(now: Date): History[] {
  return readdirSync(folder)
    .sort()
    .map((file, seed) =>
      historyOf(basename(file, '.txt'), readFileSync(join(folder, file), 'utf8'), now, seed),
    )
}

function historyOf(name: string, text: string, now: Date, seed: number): History {
  const random = seededRandom(seed + 1)
  const [team = '', project = '', count = ''] = headOf(text, 'team')[0]?.split(' | ') ?? []
  const slots = {
    thing: headOf(text, 'things'),
    file: headOf(text, 'files'),
    person: headOf(text, 'people'),
  }
  const lines = [...linesOf(text, 'wanted'), ...linesOf(text, 'fine')]
  const maker = new MemoryMaker({ random, now, seed, slots, project })
  const said = lines.filter(({ kind }) => kind !== 'session')
  const memories = [
    ...said.flatMap(line => maker.saidOnceOrMore(line)),
    ...Array.from({ length: Number(count) }, () => maker.trivial()),
    ...Array.from({ length: Number(count) * shares.noProject }, () => maker.outside()),
    ...Array.from({ length: Number(count) * shares.otherProjects }, () => maker.ofOthers()),
  ]
  const held = lines.filter(({ kind }) => kind === 'session')
  return { name, team, project, memories, sessions: sessionsOf(held, random, now) }
}

function headOf(text: string, name: string): string[] {
  const value = new RegExp(`^${name}: (.*)$`, 'mu').exec(text)?.[1] ?? ''
  return name === 'team' ? [value] : value.split(', ')
}

/** `rule! 20 text`: the kind, `!` for pinned, `*` for no project, the age in days, the text. */
function linesOf(text: string, worth: 'wanted' | 'fine'): Line[] {
  const part = text.split(/^(?=wanted$|fine$)/mu).find(one => one.startsWith(worth)) ?? ''
  return part
    .split('\n')
    .flatMap(line => {
      const [, kind = '', mark = '', days = '', said = ''] = /^(\w+)([!*]?) (\d+) (.+)$/u.exec(line) ?? []
      return kind === '' ? [] : [{ kind, mark, days, said }]
    })
    .map(({ kind, mark, days, said }) => ({
      kind,
      worth,
      text: said,
      days: Number(days),
      isPinned: mark === '!',
      isEverywhere: mark === '*',
    }))
}

interface MakerOptions {
  random: () => number
  now: Date
  seed: number
  slots: Record<'thing' | 'file' | 'person', readonly string[]>
  project: string
}

class MemoryMaker {
  #made = 0

  constructor(readonly options: MakerOptions) {}

  /** People and agents say important things again, in nearly the same words. */
  saidOnceOrMore(line: Line): HistoryMemory[] {
    const { random, project } = this.options
    const base = {
      type: line.kind,
      importance: savedImportance,
      pinned: line.isPinned ? (1 as const) : (0 as const),
      project: line.isEverywhere ? null : project,
      worth: line.worth,
      key: line.text,
    }
    const first = this.#memory({ ...base, content: line.text, days: line.days + random() })
    const again = repeats
      .filter(() => random() < 0.3)
      .map(repeat =>
        this.#memory({ ...base, pinned: 0, content: repeat(line.text), days: random() * line.days }),
      )
    return [first, ...again]
  }

  trivial(): HistoryMemory {
    const { random, project } = this.options
    const dice = random()
    const [, type, sentences] = triviaTypes.find(([share]) => dice < share) ?? triviaTypes[0]!
    return this.#unwanted({ type, sentences, project, days: triviaDays * random() ** 3 })
  }

  outside(): HistoryMemory {
    const days = triviaDays * this.options.random()
    return this.#unwanted({ type: 'fact', sentences: lifeOutside, project: null, days })
  }

  ofOthers(): HistoryMemory {
    const isRule = this.options.random() < 0.2
    const days = triviaDays * this.options.random() ** 2
    const [type, sentences] = isRule ? ['rule', otherRules] : ['fact', trivia]
    return this.#unwanted({ type, sentences, project: 'someone-elses', days })
  }

  #unwanted(given: { type: string; sentences: readonly string[]; project: string | null; days: number }) {
    const { random } = this.options
    const content = this.#filled(pick(given.sentences, random))
    const importance = pick([0.3, 0.5, 0.5, savedImportance], random)
    return this.#memory({ ...given, content, importance, pinned: 0, worth: 'unwanted', key: content })
  }

  #filled(sentence: string): string {
    const { random, slots } = this.options
    return sentence.replace(/\{(\w+)\}/gu, (_, slot: string) =>
      slot === 'n' ? String(2 + Math.floor(random() * 900)) : pick(slots[slot as 'thing'], random),
    )
  }

  #memory({ days, ...rest }: Omit<HistoryMemory, 'id' | 'createdAt'> & { days: number }): HistoryMemory {
    const { seed, now } = this.options
    const number = String(this.#made++).padStart(8, '0')
    return {
      id: `00000000-0000-7000-8${String(seed).padStart(3, '0')}-0000${number}`,
      createdAt: new Date(now.getTime() - days * dayMs),
      content: rest.content,
      type: rest.type,
      importance: rest.importance,
      pinned: rest.pinned,
      project: rest.project,
      worth: rest.worth,
      key: rest.key,
    }
  }
}

const repeats: readonly ((text: string) => string)[] = [
  text => text.toLowerCase().replace(/[.,;]/gu, ''),
  text => `Note: ${text}`,
  text => `Please remember: ${text}`,
]

function pick<T>(values: readonly T[], random: () => number): T {
  return values[Math.floor(random() * values.length)]!
}

/** Sessions with substance, as many greetings, and one repeated session. */
function sessionsOf(lines: readonly Line[], random: () => number, now: Date): HistorySession[] {
  const at = (days: number) => new Date(now.getTime() - days * dayMs - (1 + 3 * random()) * hourMs)
  const held = lines.map(({ text, days, worth }, n): HistorySession => {
    const [asked = '', answered = ''] = text.replace('Asked: ', '').split(' | Answered: ')
    return { key: `held ${n}`, asked, answered, endedAt: at(days), worth }
  })
  const spoken = talk.map(
    ([asked, answered], n): HistorySession => ({
      key: `talk ${n}`,
      asked,
      answered,
      endedAt: at(random() * 4),
      worth: 'unwanted',
    }),
  )
  const repeated = held.slice(0, 1).map(
    (one): HistorySession => ({
      ...one,
      key: `${one.key} again`,
      endedAt: new Date(one.endedAt.getTime() - hourMs),
    }),
  )
  return [...held, ...spoken, ...repeated]
}
