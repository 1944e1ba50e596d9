import type { Reply } from '../../../contract/api.js'
import { cancelled } from '../../consent/consent.js'
import { CliError } from '../../shell/cli-error.js'
import { DaemonCommand } from '../../shell/daemon-command.js'
import { colorsFor, print, printNote } from '../../terminal/output.js'
import { plainLine } from '../../terminal/text.js'
import type { Question } from '../../tui/ask-questions.js'

/** Which remote a new repository gets; enter alone means none. The daemon judges the address, before anything is made. */
export const remoteQuestion: Question = {
  label: 'Remote',
  hint: 'such as git@github.com:me/memory.git; empty: it stays on this machine',
  initial: '',
  fault: () => undefined,
}

export type GitOutcome = Reply<'POST /api/git/sync'>
type Address = 'POST /api/git/pull' | 'POST /api/git/push' | 'POST /api/git/sync'

/** What the daemon gives git for a remote that hangs, with the tries after it, and the way there and back. */
export const gitTimeoutMs = 600_000

/** A command that has the daemon work with git. */
export abstract class GitCommand extends DaemonCommand {
  /** Pulls, pushes or syncs, and says what came of it. @throws CliError `git_failed` with the reason. */
  protected async act(address: Address, waitingFor: string): Promise<GitOutcome> {
    return this.tell(await this.call(address, {}, { timeoutMs: gitTimeoutMs, waitingFor }))
  }

  /** Prints what git did. @throws CliError `git_failed` where it did not do all of it. */
  protected tell<T extends GitOutcome>(outcome: T): T {
    const json = this.jsonEnabled()
    const done = outcome.output.split('\n').filter(Boolean)
    if (!outcome.success) {
      if (!json) for (const line of done) printNote(plainLine(line))
      throw new CliError(outcome.error ?? 'git failed', {
        code: 'git_failed',
        exit: 'failure',
        details: { output: outcome.output },
        nextSteps: ['memory git status shows where it stands'],
      })
    }
    if (!json) for (const line of done) print(`${colorsFor().green('✓')} ${plainLine(line)}`)
    return outcome
  }
}

/** Asks a person for the address of the remote. @returns undefined for none. @throws CliError `cancelled`. */
export async function askRemote(): Promise<string | undefined> {
  const { askQuestions } = await import('../../tui/ask-questions.js')
  const answers = await askQuestions({ questions: [remoteQuestion], color: colorsFor().isColorSupported })
  if (!answers) throw cancelled()
  return answers[0]?.trim() || undefined
}
