import { answerAll } from '../../../platform/threads/resting-thread.js'
import type { IndexPlace } from './open-index.js'
import { answer, type Question, type QuestionArgs } from './questions.js'

answerAll((name, [place, ...given]) =>
  answer(name as Question, place as IndexPlace, ...(given as QuestionArgs<Question>)),
)
