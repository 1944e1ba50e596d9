import { createHash } from 'node:crypto'
import { lstatSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import type { Reply } from '../../../../contract/api.js'
import { readForeignSync } from '../../../../lib/files/open-foreign.js'
import { wordsOfName } from '../../../../lib/text/names.js'
import type { SymbolInFile } from '../../../../store/tables/knowledge/code-reads.js'
import { maxFileBytes } from '../index/listing/refusal.js'
import { locateTies } from './look-at-ties.js'
import { type IndexPlace, type OpenIndex, withIndex } from './open-index.js'
import { readBlast } from './read-blast.js'
import { readBriefing } from './read-briefing.js'
import { readContext } from './read-context.js'
import { countsOf, readStatus } from './read-status.js'
import { symbolRecord } from './symbol-record.js'

type Doctor = Reply<'GET /api/code/doctor'>
type StaleFile = Doctor['stale'][number]

/** Entries per list. */
const mostShown = 100
/** Limit of files hashed because only their time changed; further ones count as changed. */
const mostHashed = 200

export interface SearchQuestion {
  query: string
  top: number
  file: string | undefined
  debug: boolean
}

/** Scores of name matches: exact, case-insensitive, prefix, words. */
const points = { exact: 100, folded: 90, prefix: 60, words: 40 } as const
/** Score of the best full-text match in name, signature, documentation and path. */
const textPoints = 30
/** Score per doubling of a symbol's uses, with a maximum: it only breaks ties. */
const usePoints = 0.5
const mostUsePoints = 4
/** Limits of candidates by name, prefix and words. */
const mostNamed = 200
const mostByWords = 300
/** Limit with a file filter. */
const mostInFile = 5000

/** Words of questions that carry no meaning in names. */
const stopWords = new Set(
  'a an and are does for from how in is it of on or that the this to what where which who with'.split(' '),
)

interface Candidate {
  symbol: SymbolInFile
  /** Full-text score relative to the best match; 0 without one. */
  text: number
}

/**
 * Lists unreadable files, files changed since indexing, and the parser of each language (code-index.md 9).
 */
function readDoctor(index: OpenIndex): Doctor {
  const { root, reads, about } = index
  const statuses = reads.filesByStatus()
  const { failed: failedTotal } = countsOf(reads)
  const partial = statuses.find(({ status }) => status === 'partial')?.files ?? 0
  const stale = staleFiles(index)
  const problems =
    about.state === 'ready' ? [] : ['the last run was interrupted; memory code index resumes it']
  return {
    project: root,
    ok: failedTotal === 0 && stale.length === 0 && problems.length === 0,
    failed: reads.filesWanting(mostShown).map(({ path, reason, message }) => ({
      path,
      reason: [reason, message].filter(Boolean).join(': '),
    })),
    failedTotal: failedTotal + partial,
    skipped: statuses
      .filter(({ status }) => status === 'skipped')
      .map(({ reason, files }) => ({ reason: reason ?? 'skipped', files })),
    stale: stale.slice(0, mostShown),
    staleTotal: stale.length,
    languages: reads.languages(),
    problems,
  }
}

function staleFiles({ root, reads }: OpenIndex): StaleFile[] {
  const stale: StaleFile[] = []
  let hashed = 0
  for (const { path, size, mtime_ms: mtimeMs, hash } of reads.filesRead()) {
    const file = join(root, path)
    const found = statOf(file)
    if (!found) stale.push({ path, change: 'gone' })
    else if (found.size !== size) stale.push({ path, change: 'changed' })
    else if (Math.trunc(found.mtimeMs) !== mtimeMs && (++hashed > mostHashed || hashOf(file) !== hash))
      stale.push({ path, change: 'changed' })
  }
  return stale
}

function statOf(file: string): Stats | undefined {
  try {
    return lstatSync(file, { throwIfNoEntry: false })
  } catch {
    // A path below a file, or in a forbidden folder, is unreadable, too.
    return undefined
  }
}

function hashOf(file: string): string | undefined {
  try {
    return createHash('sha256')
      .update(readForeignSync(file, { maxBytes: maxFileBytes }))
      .digest('hex')
  } catch {
    return undefined
  }
}

/** The questions that the thread of the code index answers. */
export const questions = {
  status: readStatus,
  search: searchSymbols,
  context: readContext,
  blast: readBlast,
  constants: readConstants,
  briefing: readBriefing,
  doctor: readDoctor,
  ties: locateTies,
}

export type Questions = typeof questions
export type Question = keyof Questions
type ArgsAfterIndex<F> = F extends (index: never, ...given: infer Args) => unknown ? Args : never
export type QuestionArgs<Name extends Question> = ArgsAfterIndex<Questions[Name]>
export type Answer<Name extends Question> = ReturnType<Questions[Name]>

/** @throws AppError `not_indexed`, and errors of the question */
export function answer<Name extends Question>(
  name: Name,
  place: IndexPlace,
  ...given: QuestionArgs<Name>
): Answer<Name> {
  return withIndex(place, index => (questions[name] as (...all: unknown[]) => Answer<Name>)(index, ...given))
}

type Constants = Reply<'GET /api/code/constants'>

/** Lists named constants with their values, by path (code-index.md 8). */
function readConstants(
  { root, reads }: OpenIndex,
  { query, top }: { query: string | undefined; top: number },
): Constants {
  const wanted = query?.toLowerCase()
  const found: Constants['constants'] = []
  for (const { qualified_name: name, value, path, start_line: line, kind } of reads.constants())
    if (
      value !== null &&
      (wanted === undefined
        ? kind === 'constant'
        : [name, value, path].some(text => text.toLowerCase().includes(wanted)))
    )
      found.push({ name, value, path, line })
  const inOrder = found.toSorted((one, other) =>
    one.path < other.path ? -1 : one.path > other.path ? 1 : one.line - other.line,
  )
  return { project: root, constants: inOrder.slice(0, top), total: found.length }
}

type SearchReply = Reply<'GET /api/code/search'>

/** Searches symbols by name and by words, best first (code-index.md 5). */
function searchSymbols(index: OpenIndex, { query, top, file, debug }: SearchQuestion): SearchReply {
  const words = [...new Set(query.split(/[^\p{L}\p{N}_$]+/u).flatMap(wordsOfName))]
  const asked = words.filter(word => !stopWords.has(word))
  const used = asked.length > 0 ? asked : words
  const results = candidatesOf(index, query, used, file === undefined ? mostByWords : mostInFile)
    .filter(({ symbol }) => file === undefined || symbol.path.includes(file))
    .map(candidate => ({ ...candidate, ...scoreOf(candidate, query, used) }))
    .toSorted((one, other) => other.name + other.words - (one.name + one.words))
    // Uses are only counted for the best candidates, because counting is slow.
    .slice(0, top * 3)
    .map(one => ({ ...one, centrality: centralityOf(index, one.symbol) }))
    .map(one => ({ ...one, score: one.name + one.words + one.centrality }))
    .toSorted((one, other) => other.score - one.score || byPlace(one.symbol, other.symbol))
    .slice(0, top)
    .map(({ symbol, match, name, words: text, centrality, score }) => ({
      ...symbolRecord(symbol),
      score: roundScore(score),
      ...(debug && {
        why: { match, name: roundScore(name), words: roundScore(text), centrality: roundScore(centrality) },
      }),
    }))
  return { project: index.root, query, results, count: results.length }
}

function candidatesOf(
  { reads }: OpenIndex,
  query: string,
  words: readonly string[],
  limit: number,
): Candidate[] {
  const plain = query.replace(/::|#/gu, '.').trim()
  const folded = plain.toLowerCase()
  const named = /\s/u.test(plain)
    ? []
    : [
        ...reads.symbolsQualified(plain, mostNamed),
        ...reads.symbolsFolded(folded, mostNamed),
        ...reads.symbolsBeginning(folded, mostNamed),
        ...reads.symbolsFolded(folded.slice(folded.lastIndexOf('.') + 1), mostNamed),
      ]
  const found = new Map(named.map(symbol => [symbol.id, { symbol, text: 0 }]))
  const hits = words.length === 0 ? [] : byWords(reads, words, limit)
  const best = hits[0]?.score ?? 0
  for (const { id, score } of hits) {
    const symbol = found.get(id)?.symbol ?? reads.symbol(id)
    if (symbol) found.set(id, { symbol, text: best === 0 ? 0 : score / best })
  }
  return [...found.values()]
}

/** Matches all words first; matches of some words are added if there are few. */
function byWords(reads: OpenIndex['reads'], words: readonly string[], limit: number) {
  const terms = words.map(word => `"${word.replaceAll('"', '""')}"*`)
  const all = reads.symbolsByWords(terms.join(' AND '), limit)
  if (all.length >= limit / 10 || terms.length === 1) return all
  const known = new Set(all.map(({ id }) => id))
  const some = reads.symbolsByWords(terms.join(' OR '), limit).filter(({ id }) => !known.has(id))
  return [...all, ...some].toSorted((one, other) => one.score - other.score)
}

function scoreOf(
  { symbol, text }: Candidate,
  query: string,
  words: readonly string[],
): { match: string; name: number; words: number } {
  return { ...nameMatch(symbol, query.replace(/::|#/gu, '.').trim(), words), words: textPoints * text }
}

function nameMatch(
  { name, name_folded, qualified_name: qualified }: SymbolInFile,
  query: string,
  words: readonly string[],
): { match: string; name: number } {
  if (name === query || qualified === query || qualified.endsWith(`.${query}`))
    return { match: 'exact name', name: points.exact }
  const folded = query.toLowerCase()
  if (name_folded === folded || qualified.toLowerCase().endsWith(`.${folded}`))
    return { match: 'name, ignoring case', name: points.folded }
  if (name_folded.startsWith(folded))
    return { match: 'start of name', name: points.prefix * (0.5 + (0.5 * folded.length) / name.length) }
  const own = wordsOfName(name)
  const covered = words.filter(word => own.some(part => part.startsWith(word))).length
  if (covered === 0) return { match: 'words', name: 0 }
  // Additional words in a name lower its score slightly.
  const share = covered / words.length
  return {
    match: 'words in name',
    name: points.words * share * (0.7 + (0.3 * covered) / Math.max(own.length, 1)),
  }
}

function centralityOf({ reads }: OpenIndex, { id }: SymbolInFile): number {
  return Math.min(mostUsePoints, usePoints * Math.log2(1 + reads.usesOf(id)))
}

function byPlace(one: SymbolInFile, other: SymbolInFile): number {
  return one.path < other.path ? -1 : one.path > other.path ? 1 : one.start_line - other.start_line
}

function roundScore(value: number): number {
  return Number(value.toFixed(2))
}
