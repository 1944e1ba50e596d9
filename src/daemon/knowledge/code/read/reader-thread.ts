import { answerAll } from '../../../platform/threads/thread-messages.js'
import type { IndexPlace } from './open-index.js'
import { answer, type Given, type Question } from './questions.js'

answerAll((name, [place, ...given]) =>
  answer(name as Question, place as IndexPlace, ...(given as Given<Question>)),
)
