import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Command, Flags } from '@oclif/core'
import { call } from '../../client/call.js'
import type { CallOptions } from '../../client/http/call-options.js'
import type { Address, Reply, Request } from '../../contract/api.js'
import { namesOf } from '../../lib/text/names.js'
import { workspacePaths } from '../../lib/workspace/paths.js'
import { printNote } from '../terminal/output.js'
import { startSpinner } from '../terminal/progress.js'
import { wrapText } from '../terminal/text.js'
import { CliCommand } from './cli-command.js'

interface Options {
  workspace: string | undefined
  /** Output for people; a pipe receives nothing. */
  stream: { isTTY?: boolean; columns?: number; write(text: string): unknown }
  /** Fetches the daemon's telemetry state. */
  ask(): Promise<Pick<Reply<'GET /api/telemetry/health'>, 'enabled' | 'deliveryConfigured'>>
}

/**
 * Base of the commands that talk to the daemon.
 *
 *   const { args, flags } = await this.parse(Recall)
 *   const reply = await this.call('POST /api/memory/recall', { body: { query: args.query } })
 *   if (!this.jsonEnabled()) print(listText(reply))
 *   return reply                                          // what --json prints
 *
 * Global flags: `--json`, `--workspace DIR`, `--agent ID`. Errors are thrown (CliError, ClientError); the
 * base class renders them, as JSON with --json, and sets the exit code (exit-codes.ts). For a failure without
 * an error set `process.exitCode = exitCodes.findings.code`.
 */
export abstract class DaemonCommand extends CliCommand {
  static override baseFlags = {
    ...CliCommand.baseFlags,
    agent: Flags.string({
      summary: 'Act as this agent (default: the agent of the credential).',
      helpGroup: 'GLOBAL',
      helpValue: 'ID',
    }),
  }

  /**
   * Calls an endpoint with this command's workspace and agent; starts the daemon if needed. @throws
   * ClientError.
   */
  protected async call<A extends Address>(
    address: A,
    request?: Request<A>,
    { waitingFor = 'waiting for the daemon', ...options }: CallOptions & { waitingFor?: string } = {},
  ): Promise<Reply<A>> {
    const spinner = startSpinner(waitingFor)
    try {
      return await call(address, request, { ...this.globals, onWait: spinner.say, ...options })
    } finally {
      spinner.stop()
      if (!this.jsonEnabled()) await this.#printNoticeOnce()
    }
  }

  /** Names similar projects where nothing was found, since an unknown name is a project without memories. */
  protected async noteUnknownProject(given: string | undefined): Promise<void> {
    if (given === undefined || this.jsonEnabled()) return
    const { projects } = await this.call('GET /api/projects')
    const { unknownProject } = await import('./guess-command.js')
    const note = unknownProject(given, projects)
    if (note !== undefined) printNote(note)
  }

  /** Rows for people: the key of a project gives way to its name, which no other project has. */
  protected async withProjectNames<Row extends { project: string | null }>(
    rows: readonly Row[],
  ): Promise<Row[]> {
    if (rows.every(({ project }) => project === null)) return [...rows]
    const { projects } = await this.call('GET /api/projects')
    const names = namesOf(projects)
    return rows.map(row => ({ ...row, project: row.project && (names.get(row.project) ?? row.project) }))
  }

  /** Runs another command with the global flags of this one. @returns its value for `--json`. */
  protected runOther<Value>(
    Other: new (argv: string[], config: Command['config']) => { run(): Promise<Value> },
    words: readonly string[],
  ): Promise<Value> {
    const { workspace, agent } = this.globals
    const globals = [
      ...(workspace ? ['--workspace', workspace] : []),
      ...(agent ? ['--agent', agent] : []),
      ...(this.jsonEnabled() ? ['--json'] : []),
    ]
    return new Other([...words, ...globals], this.config).run()
  }

  async #printNoticeOnce(): Promise<void> {
    await printTelemetryNotice({
      workspace: this.globals.workspace,
      stream: process.stderr,
      ask: () => call('GET /api/telemetry/health', {}, { ...this.globals, autostart: false }),
    })
  }
}

/**
 * Prints once per workspace, at a terminal, that usage events are recorded, where they go and how to stop it
 * (telemetry.md 3). It is skipped if that cannot be noted or the caller may not ask; the log contains it too.
 */
export async function printTelemetryNotice({ workspace, stream, ask }: Options): Promise<void> {
  // The workspace of a remote daemon belongs to its operator.
  if (!stream.isTTY || process.env.SERVICE_DAEMON_URL) return
  const { telemetryTold } = workspacePaths(workspace)
  if (existsSync(telemetryTold)) return
  try {
    const { enabled, deliveryConfigured } = await ask()
    mkdirSync(dirname(telemetryTold), { recursive: true, mode: 0o700 })
    // If two commands run at once, only one can create the file.
    writeFileSync(telemetryTold, '', { flag: 'wx', mode: 0o600 })
    if (!enabled) return
    const where = deliveryConfigured ? 'and sent to the address in agent.yaml' : 'and stay on this machine'
    const notice = `Anonymous usage events are recorded ${where}. To turn this off: memory telemetry off`
    stream.write(`${wrapText(notice, stream.columns || notice.length).join('\n')}\n`)
  } catch {
    // The command itself succeeded; the notice is printed another time.
  }
}
