import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { deterministicReader } from '../../src/daemon/knowledge/dreaming/deterministic/deterministic-reader.js'
import type { KnownName } from '../../src/daemon/knowledge/dreaming/reader.js'
import { typeOfText } from '../../src/daemon/operations/transfer/programs/found-memory.js'
import { markdownTable, percent } from '../quality/table.js'
import { type DrawnFact, drawnFact, isFound } from './match.js'
import { formatNotePrompts, measureNotePrompts, type NotePromptFigures } from './prompts.js'

/** A note with the facts that a person would take from it. */
export interface Note {
  project: string
  type: string
  text: string
  /** `subject > attribute > value`; those with `?` are right, but not required. Undefined: not judged. */
  expected: readonly string[] | undefined
}

interface NoteResult extends Note {
  inferred: string
  facts: readonly DrawnFact[]
  missed: readonly string[]
  /** Facts that nobody expected; only judged notes have any. */
  unexpected: readonly DrawnFact[]
}

interface SetResult {
  name: string
  notes: readonly NoteResult[]
  msPerNote: number
}

export interface KnowledgeFigures {
  sets: readonly SetResult[]
  prompts: NotePromptFigures
  /** Prints each note of the sets that were given, and the failures of the fitted ones. */
  isVerbose: boolean
}

/**
 * Reads notes of developers with the rules of Dreaming: how many are understood, how many types are inferred
 * as a person would, and how many facts are right.
 * @param data further files of notes: project, type, text and perhaps expected facts, with tabs between
 */
export async function runKnowledgeSuite(
  data: readonly string[],
  { isVerbose = false } = {},
): Promise<KnowledgeFigures> {
  const own = ownNotes()
  const of = (part: string) => own.filter(note => note.part === part).map(({ note }) => note)
  const sets = [
    await measure('own, fitted', of('fit')),
    await measure('own, kept aside', of('aside')),
    await measure('own, unseen until read', of('unseen')),
  ]
  for (const file of data.flatMap(filesOf))
    sets.push(await measure(basename(file), linesOf(file).map(noteOf)))
  return { sets, prompts: await measureNotePrompts(), isVerbose }
}

/** Returns the notes of this repository, with the part of the benchmark to which each belongs. */
export function ownNotes(): { part: string; note: Note }[] {
  const lines = linesOf(join(import.meta.dirname, 'notes.tsv'))
  return lines.map(([part = '', ...rest]) => ({ part, note: noteOf(rest) }))
}

function filesOf(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path]
  const names = readdirSync(path).filter(name => name.endsWith('.tsv'))
  return names.map(name => join(path, name))
}

function linesOf(file: string): string[][] {
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines.filter(line => line.trim() !== '').map(line => line.split('\t'))
}

function noteOf([project = '', type = '', text = '', expected]: readonly string[]): Note {
  const facts = expected === 'none' ? [] : expected?.split('&&').map(fact => fact.trim())
  return { project, type, text: text.replaceAll('\\n', '\n'), expected: facts?.filter(Boolean) }
}

async function measure(name: string, notes: readonly Note[]): Promise<SetResult> {
  const results: NoteResult[] = []
  const began = performance.now()
  const read: { inferred: string; facts: DrawnFact[] }[] = []
  for (const note of notes) read.push({ inferred: typeOfText(note.text), facts: await factsOf(note) })
  const msPerNote = (performance.now() - began) / notes.length
  notes.forEach((note, at) => {
    const { inferred, facts } = read[at] as (typeof read)[number]
    const { expected = [] } = note
    const missed = expected.filter(one => !one.startsWith('?') && !facts.some(fact => isFound(one, [fact])))
    const unexpected = facts.filter(fact => !expected.some(one => isFound(one.replace(/^\?/u, ''), [fact])))
    results.push({ ...note, inferred, facts, missed, unexpected })
  })
  return { name, notes: results, msPerNote }
}

const free = { tokensLeft: () => 0, callsLeft: () => 0, spend: async () => undefined }

/** Reads one note by the rules, as a memory of its project saved on 1 June 2026. */
export async function factsOf({ project, text }: Pick<Note, 'project' | 'text'>): Promise<DrawnFact[]> {
  const known: KnownName[] = [
    { name: project, aliases: [], type: 'project', entityId: undefined, claims: [] },
  ]
  const piece = {
    sourceKind: 'memory' as const,
    sourceId: 'note',
    text,
    speaker: null,
    at: '2026-06-01T09:00:00.000Z',
    project,
    sessionKey: null,
  }
  const { signal } = new AbortController()
  const reading = { agentId: 'default', project, pieces: [piece], known, budget: free, signal }
  const { operations } = await deterministicReader.read(reading)
  return operations.flatMap(operation => drawnFact(operation) ?? [])
}

export function formatKnowledgeSuite({ sets, prompts, isVerbose }: KnowledgeFigures): string {
  const details = isVerbose ? sets.filter(({ name }) => name !== 'own, kept aside').flatMap(detailsOf) : []
  return [...details, ...markdownTable(head, sets.map(rowOf)), '', formatNotePrompts(prompts)].join('\n')
}

const head = ['notes', 'understood', 'types', 'facts', 'unexpected', 'precision', 'ms a note']

function rowOf({ name, notes, msPerNote }: SetResult): string[] {
  const judged = notes.filter(({ expected }) => expected !== undefined)
  const understood = (judged.length > 0 ? judged : notes).filter(
    ({ expected, missed, facts }) =>
      missed.length === 0 && (expected?.length === 0 ? facts.length === 0 : facts.length > 0),
  )
  const facts = notes.flatMap(note => note.facts).length
  const unexpected = judged.flatMap(note => note.unexpected).length
  const types = notes.filter(({ type, inferred }) => type === inferred)
  const drawn = judged.flatMap(note => note.facts).length
  return [
    `${name} (${notes.length})`,
    `${percent(understood.length / (judged.length || notes.length))} %`,
    `${percent(types.length / notes.length)} %`,
    String(facts),
    judged.length > 0 ? String(unexpected) : '-',
    drawn > 0 ? percent(1 - unexpected / drawn) : '-',
    msPerNote.toFixed(2),
  ]
}

/** Notes that were given without expectations are shown in full, others only where something differs. */
function detailsOf({ name, notes }: SetResult): string[] {
  const shown = notes.filter(
    ({ expected, missed, unexpected, type, inferred }) =>
      expected === undefined || missed.length > 0 || unexpected.length > 0 || type !== inferred,
  )
  return [
    `### ${name}`,
    ...shown.flatMap(({ text, type, inferred, expected, facts, missed, unexpected }) => [
      `- ${text}`,
      ...(type === inferred ? [] : [`    type ${inferred}, expected ${type}`]),
      ...missed.map(one => `    missed ${one}`),
      ...facts.map(fact => `    ${expected && unexpected.includes(fact) ? '+' : ' '} ${fact.line}`),
    ]),
    '',
  ]
}
