import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { Flags } from '@oclif/core'
import { call } from '../../client/call.js'
import type { CallOptions } from '../../client/http/call-options.js'
import type { Address, Reply, Request } from '../../contract/api.js'
import { workspacePaths } from '../../lib/workspace/paths.js'
import { startSpinner } from '../terminal/spinner.js'
import { CliCommand } from './cli-command.js'

interface Options {
  workspace: string | undefined
  /** What people read; a pipe is told nothing. */
  stream: { isTTY?: boolean; write(text: string): unknown }
  /** Asks the daemon how its telemetry stands. */
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
 * Global flags: `--json`, `--workspace DIR`, `--agent ID`. Errors are thrown (CliError, ClientError); the base
 * class renders them, as JSON under --json, and sets the exit code (exit-codes.ts). For a failure without an
 * error set `process.exitCode = exitCodes.findings.code`.
 */
export abstract class DaemonCommand extends CliCommand {
  static override baseFlags = {
    ...CliCommand.baseFlags,
    agent: Flags.string({
      summary: 'Act as this agent (default: the daemon decides by the credential).',
      helpGroup: 'GLOBAL',
      helpValue: 'ID',
    }),
  }

  /** Calls an endpoint for this command's workspace and agent; starts the daemon when needed. @throws ClientError. */
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
      if (!this.jsonEnabled()) await this.#tellOnce()
    }
  }

  async #tellOnce(): Promise<void> {
    await tellWhereEventsStay({
      workspace: this.globals.workspace,
      stream: process.stderr,
      ask: () => call('GET /api/telemetry/health', {}, { ...this.globals, autostart: false }),
    })
  }
}

/**
 * Says once in the life of a workspace, at a terminal, that events of use are recorded, where they go and how that ends
 * (telemetry.md 3). Who can't note that it was said, or may not ask, is not told: the log says it too.
 */
export async function tellWhereEventsStay({ workspace, stream, ask }: Options): Promise<void> {
  // The workspace of a daemon elsewhere is somebody else's.
  if (!stream.isTTY || process.env.SERVICE_DAEMON_URL) return
  const { telemetryTold } = workspacePaths(workspace)
  if (existsSync(telemetryTold)) return
  try {
    const { enabled, deliveryConfigured } = await ask()
    mkdirSync(dirname(telemetryTold), { recursive: true, mode: 0o700 })
    // Of two commands at once one gets to make it.
    writeFileSync(telemetryTold, '', { flag: 'wx', mode: 0o600 })
    if (!enabled) return
    const where = deliveryConfigured ? 'and sent to the address of agent.yaml' : 'and stay on this machine'
    stream.write(`Anonymous events of use are recorded ${where}; memory telemetry off ends that.\n`)
  } catch {
    // What was asked for went well; this is said another time.
  }
}
