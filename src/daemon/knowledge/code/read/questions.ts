import type { Reply } from '../../../../contract/api.js'
import { lookAtTies } from './look-at-ties.js'
import { type IndexPlace, type OpenIndex, withIndex } from './open-index.js'
import { readBlast } from './read-blast.js'
import { readBriefing } from './read-briefing.js'
import { readContext } from './read-context.js'
import { readDoctor } from './read-doctor.js'
import { readStatus } from './read-status.js'
import { searchSymbols } from './search-symbols.js'

/** What is asked of the index of a project; the thread of the code index answers it. */
export const questions = {
  status: readStatus,
  search: searchSymbols,
  context: readContext,
  blast: readBlast,
  constants: readConstants,
  briefing: readBriefing,
  doctor: readDoctor,
  ties: lookAtTies,
}

export type Questions = typeof questions
export type Question = keyof Questions
type Rest<F> = F extends (index: never, ...given: infer Given) => unknown ? Given : never
export type Given<Name extends Question> = Rest<Questions[Name]>
export type Answer<Name extends Question> = ReturnType<Questions[Name]>

/** @throws AppError `not_indexed`, and what the question throws. */
export function answer<Name extends Question>(
  name: Name,
  place: IndexPlace,
  ...given: Given<Name>
): Answer<Name> {
  return withIndex(place, index => (questions[name] as (...all: unknown[]) => Answer<Name>)(index, ...given))
}

type Constants = Reply<'GET /api/code/constants'>

/** Named constants with their values, by path (code-index.md 8). */
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
