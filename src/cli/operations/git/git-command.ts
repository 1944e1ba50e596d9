import type { Reply } from '../../../contract/api.js'
import { CliError } from '../../shell/cli-error.js'
import { DaemonCommand } from '../../shell/daemon-command.js'
import { colorsFor, print, printNote } from '../../terminal/output.js'
import { plainLine } from '../../terminal/text.js'

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
