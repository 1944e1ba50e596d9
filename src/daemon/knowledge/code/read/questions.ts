import type { Reply } from '../../../../contract/api.js'
import { locateTies } from './look-at-ties.js'
import { type IndexPlace, type OpenIndex, withIndex } from './open-index.js'
import { readBlast } from './read-blast.js'
import { readBriefing } from './read-briefing.js'
import { readContext } from './read-context.js'
import { readDoctor } from './read-doctor.js'
import { readStatus } from './read-status.js'
import { searchSymbols } from './search-symbols.js'

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
