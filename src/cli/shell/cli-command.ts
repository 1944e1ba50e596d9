import { Command, Flags, type Interfaces } from '@oclif/core'
import { formatJson, print, printNote } from '../terminal/output.js'
import { renderError, toFailure } from './failure.js'
import { keepRows, type ListedKind, withRowIds } from './listed-rows.js'

/**
 * Base of every command: `--json` and `--workspace`, errors with next steps, one table of exit codes. `run()`
 * returns the value for `--json`. Output for people is written with `print`, and must be skipped if
 * `this.jsonEnabled()`. Failures are thrown as CliError, ClientError or any other error. Optional arguments
 * need `ignoreStdin: true`; otherwise oclif fills them from a pipe.
 */
export abstract class CliCommand extends Command {
  static override enableJsonFlag = true
  static override baseFlags = {
    workspace: Flags.string({
      summary: 'Folder of the workspace (default: SERVICE_WORKSPACE or ~/.memory-service).',
      helpGroup: 'GLOBAL',
      helpValue: 'DIR',
    }),
  }

  /** Values of the global flags, available after `parse`. */
  protected globals: { workspace?: string; agent?: string } = {}

  /** Parses, runs and renders. Failures set `process.exitCode`; the promise does not reject. */
  async execute(): Promise<void> {
    await this._run()
  }

  protected override async parse<
    F extends Interfaces.OutputFlags<typeof Command.flags>,
    B extends Interfaces.OutputFlags<typeof Command.baseFlags>,
    A extends Interfaces.OutputArgs<typeof Command.args>,
  >(options?: Interfaces.Input<F, B, A>, argv?: string[]): Promise<Interfaces.ParserOutput<F, B, A>> {
    const output = await super.parse(options, argv)
    const { workspace, agent } = output.flags as { workspace?: string; agent?: string }
    this.globals = { workspace, agent }
    const { args, flags } = this.ctor
    return {
      ...output,
      args: withRowIds(output.args, args, workspace),
      flags: withRowIds(output.flags, flags, workspace),
    }
  }

  /** Keeps the ids of a printed list, so that `@1` means its first row (rules.md 4.4). */
  protected keepRows(kind: ListedKind, ids: readonly string[]): void {
    keepRows(
      this.globals.workspace,
      ids.map(id => ({ kind, id })),
    )
  }

  protected override logJson(value: unknown): void {
    print(formatJson(value))
  }

  protected override async catch(error: Error): Promise<void> {
    const failure = await toFailure(error, exampleOf(this.ctor))
    process.exitCode = failure.exitCode
    if (failure.silent) return
    if (this.jsonEnabled()) print(formatJson(failure.json))
    else printNote(renderError(failure))
  }
}

/** Returns the first example of a command as users type it. */
function exampleOf({ examples }: typeof Command): string | undefined {
  const [first] = examples ?? []
  return typeof first === 'string' ? first.replace('<%= config.bin %>', 'memory') : undefined
}
