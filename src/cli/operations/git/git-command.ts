import type { Reply } from '../../../contract/api.js'
import { cancelled } from '../../consent/consent.js'
import { CliError } from '../../shell/cli-error.js'
import { DaemonCommand } from '../../shell/daemon-command.js'
import { colorsFor, print, printNote } from '../../terminal/output.js'
import { plainLine } from '../../terminal/text.js'
import type { Question } from '../../tui/ask-questions.js'

/**
 * Question for the remote of a new repository; an empty answer means none. The daemon validates the address
 * before it creates anything.
 */
export const remoteQuestion: Question = {
  label: 'Remote',
  hint: 'for example git@github.com:me/memory.git; leave empty to keep it on this machine',
  initial: '',
  fault: () => undefined,
}

export type GitOutcome = Reply<'POST /api/git/sync'>
type Address = 'POST /api/git/pull' | 'POST /api/git/push' | 'POST /api/git/sync'

/** Covers the daemon's time limit for git with a hanging remote, its retries, and the request itself. */
export const gitTimeoutMs = 600_000

/** Base of the commands that let the daemon run git. */
export abstract class GitCommand extends DaemonCommand {
  /** Pulls, pushes or syncs, and prints the outcome. @throws CliError `git_failed` with the reason. */
  protected async act(address: Address, waitingFor: string): Promise<GitOutcome> {
    return this.printOutcome(await this.call(address, {}, { timeoutMs: gitTimeoutMs, waitingFor }))
  }

  /** Prints the outcome of git. @throws CliError `git_failed` if a part failed. */
  protected printOutcome<T extends GitOutcome>(outcome: T): T {
    const json = this.jsonEnabled()
    const done = outcome.output.split('\n').filter(Boolean)
    if (!outcome.success) {
      if (!json) for (const line of done) printNote(plainLine(line))
      throw new CliError(outcome.error ?? 'git failed', {
        code: 'git_failed',
        exit: 'failure',
        details: { output: outcome.output },
        nextSteps: ['memory git status'],
      })
    }
    if (!json) for (const line of done) print(`${colorsFor().green('✓')} ${plainLine(line)}`)
    return outcome
  }
}

/** Asks the user for the address of the remote. @returns undefined for none. @throws CliError `cancelled`. */
export async function askRemote(): Promise<string | undefined> {
  const { askQuestions } = await import('../../tui/ask-questions.js')
  const answers = await askQuestions({ questions: [remoteQuestion], color: colorsFor().isColorSupported })
  if (!answers) throw cancelled()
  return answers[0]?.trim() || undefined
}
