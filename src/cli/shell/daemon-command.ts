import { Flags } from '@oclif/core'
import { call } from '../../client/call.js'
import type { CallOptions } from '../../client/call-options.js'
import type { Address, Reply, Request } from '../../contract/api.js'
import { startSpinner } from '../terminal/spinner.js'
import { tellWhereEventsStay } from '../terminal/tell-where-events-stay.js'
import { CliCommand } from './cli-command.js'

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
