import { lookAtTies } from './look-at-ties.js'
import { type IndexPlace, withIndex } from './open-index.js'
import { readBlast } from './read-blast.js'
import { readBriefing } from './read-briefing.js'
import { readConstants } from './read-constants.js'
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
