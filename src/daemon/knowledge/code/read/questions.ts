import { createHash } from 'node:crypto'
import { lstatSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import type { Reply } from '../../../../contract/api.js'
import { readForeignSync } from '../../../../lib/files/open-foreign.js'
import { maxFileBytes } from '../index/listing/refusal.js'
import { locateTies } from './look-at-ties.js'
import { type IndexPlace, type OpenIndex, withIndex } from './open-index.js'
import { readBlast } from './read-blast.js'
import { readBriefing } from './read-briefing.js'
import { readContext } from './read-context.js'
import { countsOf, readStatus } from './read-status.js'
import { searchSymbols } from './search-symbols.js'

type Doctor = Reply<'GET /api/code/doctor'>
type StaleFile = Doctor['stale'][number]

/** Entries per list. */
const mostShown = 100
/** Limit of files hashed because only their time changed; further ones count as changed. */
const mostHashed = 200

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
