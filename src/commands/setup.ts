import { Flags } from '@oclif/core'
import { canAsk, cancelled } from '../cli/consent/consent.js'
import { followDream } from '../cli/knowledge/dream.js'
import { callAsOwner } from '../cli/knowledge/import/upload-import.js'
import { findDocuments, findEarlierSessions, findVaults } from '../cli/operations/setup/find-on-machine.js'
import { type LearnedProject, learnedProject } from '../cli/operations/setup/learned-facts.js'
import {
  agentsStep,
  documentsStep,
  endText,
  notesStep,
  type SetupOutcome,
  type SetupStep,
  sessionsStep,
  stepText,
  summaryText,
} from '../cli/operations/setup/setup-steps.js'
import { DaemonCommand } from '../cli/shell/daemon-command.js'
import { exitCodes } from '../cli/shell/exit-codes.js'
import { toFailure } from '../cli/shell/failure.js'
import { colorsFor, print, printNote } from '../cli/terminal/output.js'
import { startSpinner } from '../cli/terminal/progress.js'
import { call } from '../client/call.js'
import { locate } from '../client/daemon/locate.js'
import { workingFolder } from '../lib/workspace/working-folder.js'

interface SetupReply {
  /** False if nothing was changed. */
  applied: boolean
  steps: SetupOutcome[]
  /** Known facts; null if nothing may change. */
  learned: LearnedProject | null
}

export default class Setup extends DaemonCommand {
  static override summary =
    'Set up memory: connect agents, import sessions, add notes, and show what was learned.'
  static override description =
    'Looks for coding agents, their earlier sessions, Obsidian vaults and the documents of the project in the ' +
    'current folder. Shows what each step would change, and asks before it; Enter never means yes. Then reads ' +
    'everything (Dreaming) and shows five things that it learned. Running it again offers only what is new. ' +
    'Without a terminal, --yes does every step; without --yes nothing is changed, and the exit code is 2.'
  static override examples = [
    '<%= config.bin %> setup',
    '<%= config.bin %> setup --dry-run',
    '<%= config.bin %> setup --yes --skip documents',
  ]
  static override flags = {
    yes: Flags.boolean({ summary: 'Do every step without asking.', char: 'y', exclusive: ['dry-run'] }),
    'dry-run': Flags.boolean({ summary: 'Show what each step would do, and change nothing.' }),
    skip: Flags.option({
      summary: 'Leave out a step.',
      options: ['agents', 'sessions', 'notes', 'documents'] as const,
      multiple: true,
    })(),
  }

  async run(): Promise<SetupReply> {
    const { flags } = await this.parse(Setup)
    const isJson = this.jsonEnabled()
    const isAsking = !flags.yes && !flags['dry-run'] && canAsk(isJson)
    const mayChange = flags.yes || isAsking
    const steps = await this.findSteps(flags.skip ?? [], mayChange)
    const outcomes: SetupOutcome[] = []
    for (const step of steps) {
      if (!isJson) print(`${stepText(step, colorsFor())}\n`)
      const isWanted = mayChange && (flags.yes || (await this.isWanted(step)))
      outcomes.push(isWanted ? await this.carryOut(step) : outcomeOf(step, mayChange ? 'skipped' : 'planned'))
    }
    const learned = mayChange ? await this.learn(outcomes) : undefined
    if (!mayChange && !flags['dry-run'] && steps.length > 0) process.exitCode = exitCodes.usage.code
    const applied = outcomes.some(({ state }) => state === 'done')
    if (!isJson) this.printEnd({ mayChange, steps, learned })
    return { applied, steps: outcomes, learned: learned ?? null }
  }

  private async findSteps(skipped: readonly string[], mayStart: boolean): Promise<SetupStep[]> {
    const spinner = startSpinner('looking for agents, sessions and notes')
    try {
      const { connector } = await import('../cli/sessions/connect/connector.js')
      const connection = await connector(this.globals.workspace)
      const { env, home, platform } = connection.machine
      const folder = workingFolder()
      const isRemote = locate(this.globals.workspace).kind === 'remote'
      const ask = callAsOwner({ ...this.globals, autostart: mayStart })
      const wants = (id: SetupStep['id']) => !skipped.includes(id)
      const found = await Promise.all([
        wants('agents') && agentsStep(connection),
        wants('sessions') && sessionsStep(ask, await findEarlierSessions(env), this.globals.agent),
        // A daemon on another machine cannot read a folder of this one.
        wants('notes') && !isRemote && notesStep(ask, await findVaults({ env, home, platform, folder })),
        wants('documents') && documentsStep(ask, await findDocuments(folder), isRemote),
      ])
      return found.flatMap(step => step || [])
    } finally {
      spinner.stop()
    }
  }

  /** @throws CliError `cancelled` for Ctrl-C. */
  private async isWanted({ question, details }: SetupStep): Promise<boolean> {
    const { askStep } = await import('../cli/tui/ask-step.js')
    const colors = colorsFor()
    for (;;) {
      const answer = await askStep({ question, details: details?.word, color: colors.isColorSupported })
      if (answer === undefined) throw cancelled()
      if (answer !== 'details') return answer === 'yes'
      if (details) print(await details.text(colors))
    }
  }

  /** A failure of one step does not stop the others. */
  private async carryOut(step: SetupStep): Promise<SetupOutcome> {
    try {
      const done = await step.run()
      if (!this.jsonEnabled()) print(`${summaryText(done, colorsFor())}\n`)
      return { ...outcomeOf(step, 'done'), done }
    } catch (error) {
      const { message } = await toFailure(error)
      process.exitCode = exitCodes.failure.code
      if (!this.jsonEnabled()) printNote(`${colorsFor(process.stderr).red('error')}: ${message}\n`)
      return { ...outcomeOf(step, 'failed'), error: message }
    }
  }

  /** Runs Dreaming if something new was read, and returns what is known then. */
  private async learn(outcomes: readonly SetupOutcome[]): Promise<LearnedProject | undefined> {
    const hasRead = outcomes.some(({ step, state }) => state === 'done' && step !== 'agents')
    if (hasRead) {
      await this.call('POST /api/dream/trigger')
      await followDream(() => call('GET /api/dream/status', {}, this.globals))
    }
    return learnedProject(callAsOwner(this.globals), workingFolder())
  }

  private printEnd(end: {
    mayChange: boolean
    steps: readonly SetupStep[]
    learned: LearnedProject | undefined
  }): void {
    if (end.mayChange) print(endText(end, colorsFor()))
    else if (end.steps.length === 0) print('Nothing new to set up.')
    else printNote(`Nothing was changed. To do all of this: memory setup --yes`)
  }
}

function outcomeOf({ id, title, lines }: SetupStep, state: SetupOutcome['state']): SetupOutcome {
  return { step: id, title, found: lines, state }
}
