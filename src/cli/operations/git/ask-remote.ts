import { cancelled } from '../../consent/consent.js'
import { colorsFor } from '../../terminal/output.js'
import type { Question } from '../../tui/questions-screen.js'

/** Which remote a new repository gets; enter alone means none. The daemon judges the address, before anything is made. */
export const remoteQuestion: Question = {
  label: 'Remote',
  hint: 'such as git@github.com:me/memory.git; empty: it stays on this machine',
  initial: '',
  fault: () => undefined,
}

/** Asks a person for the address of the remote. @returns undefined for none. @throws CliError `cancelled`. */
export async function askRemote(): Promise<string | undefined> {
  const { askQuestions } = await import('../../tui/ask-questions.js')
  const answers = await askQuestions({ questions: [remoteQuestion], color: colorsFor().isColorSupported })
  if (!answers) throw cancelled()
  return answers[0]?.trim() || undefined
}
