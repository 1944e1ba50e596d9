import { render } from 'ink'
import { type Question, QuestionsScreen } from './questions-screen.js'

/** Asks a person on this terminal, one after the other. @returns undefined when they leave. */
export async function askQuestions(input: {
  questions: readonly Question[]
  color: boolean
}): Promise<readonly string[] | undefined> {
  const ended: { answers?: readonly string[] | undefined } = {}
  const screen = render(
    <QuestionsScreen
      {...input}
      onEnd={answers => {
        ended.answers = answers
      }}
    />,
  )
  await screen.waitUntilExit()
  return ended.answers
}
