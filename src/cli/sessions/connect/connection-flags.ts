import { Args, Flags } from '@oclif/core'
import { CliError } from '../../shell/cli-error.js'
import type { Harness, Scope } from './entries/harness.js'
import type { Machine } from './entries/machine.js'
import { detect, harnesses, harnessesNamed, harnessWords } from './harnesses.js'

/** Arguments of connect and disconnect. */
export const harnessArgs = {
  harness: Args.string({
    description: 'One or more coding agents.',
    options: [...harnessWords],
    multiple: true,
    ignoreStdin: true,
  }),
}

/** Flags of connect and disconnect, except `--all`, which differs. */
export const connectionFlags = {
  'dry-run': Flags.boolean({ summary: 'Show the exact changes without applying them.' }),
  yes: Flags.boolean({ summary: 'Skip confirmation.', char: 'y', exclusive: ['dry-run'] }),
  scope: Flags.option({
    summary: 'Where to write the settings: for your user, or for the project in the current folder.',
    options: ['user', 'project'] as const,
    default: 'user' as Scope,
  })(),
}

/**
 * Resolves the harnesses of a command line.
 * @param all returns the harnesses for `--all`.
 * @throws CliError `usage` if words and `--all` are combined, `not_found` if `--all` finds none.
 */
export function targetsOf(
  words: readonly string[] | undefined,
  flags: { all: boolean },
  all: () => { found: Harness[]; none: string },
): Harness[] {
  if (!flags.all) return harnessesNamed(words ?? [])
  if (words?.length) {
    throw new CliError('use either --all or names of coding agents, not both', {
      code: 'usage',
      exit: 'usage',
    })
  }
  const { found, none } = all()
  if (found.length > 0) return found
  throw new CliError(none, {
    code: 'not_found',
    exit: 'notFound',
    nextSteps: ['memory connect   lists the coding agents'],
  })
}

/** Returns the harnesses installed on this machine. */
export function installedHarnesses(machine: Machine): Harness[] {
  return harnesses.filter(harness => detect(harness, machine).isInstalled)
}

/** Creates the error for a command without a harness. */
export function noHarnessError(verb: 'connect' | 'disconnect'): CliError {
  return new CliError(`name the coding agent to ${verb}`, {
    code: 'target_required',
    exit: 'usage',
    nextSteps: ['memory connect   lists the coding agents and their state', `memory ${verb} --all`],
  })
}
