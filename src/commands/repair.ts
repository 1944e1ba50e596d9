import { setTimeout as delay } from 'node:timers/promises'
import { Args, Flags } from '@oclif/core'
import { asksFirst, requireConsent } from '../cli/consent/consent.js'
import {
  askBefore,
  bodyOf,
  nextBody,
  type RepairOptions,
  repairLines,
  repairsText,
} from '../cli/operations/repair.js'
import { DaemonCommand } from '../cli/shell/daemon-command.js'
import { exitCodes } from '../cli/shell/exit-codes.js'
import { colorsFor, print } from '../cli/terminal/output.js'
import { startProgressBar } from '../cli/terminal/progress.js'
import { call } from '../client/call.js'
import { ClientError } from '../client/http/client-error.js'
import type { Address, Reply, Request } from '../contract/api.js'
import type { RepairReply } from '../contract/operations/repair/repair.js'
import {
  type Repair as RepairDefinition,
  type RepairName,
  repairs,
} from '../contract/operations/repair/repair-names.js'

const timeoutMs = 600_000
const nextSteps = ['add --dry-run to see what would change', 'add --yes to run the repair']

interface RepairResult {
  name: RepairName
  affected: number
  calls: number
  /** Reply to the last call. */
  reply: RepairReply
}

export default class Repair extends DaemonCommand {
  static override summary = 'Fix problems found by diagnostics: jobs, index, vectors, duplicates, entities.'
  static override description =
    'Without a name, lists the repairs. With a name, shows what would change, asks for confirmation, and ' +
    'runs until complete. If it is interrupted, run it again to continue. memory diagnostics shows which ' +
    'repairs are needed.'
  static override examples = [
    '<%= config.bin %> repair',
    '<%= config.bin %> repair clean-orphans --dry-run',
    '<%= config.bin %> repair deduplicate --semantic',
    '<%= config.bin %> repair re-embed --yes --json',
  ]
  static override args = {
    name: Args.string({ description: 'Repair to run.', options: Object.keys(repairs), ignoreStdin: true }),
  }
  static override flags = {
    'dry-run': Flags.boolean({ summary: 'Show what would change without changing it.' }),
    yes: Flags.boolean({ summary: 'Skip confirmation.', char: 'y', exclusive: ['dry-run'] }),
    semantic: Flags.boolean({ summary: 'For deduplicate: also memories that say the same in other words.' }),
    threshold: Flags.string({
      summary: 'For deduplicate --semantic: minimum similarity of vectors, 0.8 to 1 (default: 0.95).',
      helpValue: 'COSINE',
      dependsOn: ['semantic'],
    }),
    all: Flags.boolean({ summary: 'For re-embed-migration: also vectors of the current model.' }),
  }

  async run(): Promise<Reply<'GET /api/repair'> | RepairReply | RepairResult> {
    const { args, flags } = await this.parse(Repair)
    const json = this.jsonEnabled()
    if (args.name === undefined) {
      const listed = await this.call('GET /api/repair')
      if (!json) print(repairsText(listed.repairs, colorsFor()))
      return listed
    }
    const name = args.name as RepairName
    const known: RepairDefinition = repairs[name]
    if (known.isReading) return this.show(await this.ask(`GET /api/repair/${name}`, undefined))
    const options: RepairOptions = {
      agent: flags.agent,
      semantic: flags.semantic,
      threshold: flags.threshold === undefined ? undefined : Number(flags.threshold),
      all: flags.all,
    }
    if (flags['dry-run'])
      return this.show(await this.ask(`POST /api/repair/${name}`, bodyOf(name, options, true)))
    if (asksFirst({ yes: flags.yes, json, nextSteps })) {
      const preview = await this.ask(`POST /api/repair/${name}`, bodyOf(name, options, true))
      if (preview.affected === 0) return this.show(preview)
      await requireConsent(askBefore(name, preview, colorsFor()))
    }
    const repaired = await this.repair(name, bodyOf(name, options, false))
    if (!repaired.reply.success) process.exitCode = exitCodes.failure.code
    if (!json) print(doneLines(repaired).join('\n'))
    return repaired
  }

  private show(reply: RepairReply): RepairReply {
    if (!this.jsonEnabled()) print(repairLines(reply, colorsFor()).join('\n'))
    return reply
  }

  private ask(address: string, body: object | undefined): Promise<RepairReply> {
    const request = (body && { body }) as Request<Address>
    return this.call(address as Address, request, {
      timeoutMs,
      waitingFor: 'checking stored data',
    }) as Promise<RepairReply>
  }

  /**
   * Repeats the call, with the pauses that the daemon requests, until nothing is left or a call makes no
   * progress.
   */
  private async repair(name: RepairName, first: object): Promise<RepairResult> {
    const bar = startProgressBar()
    const total = { affected: 0, calls: 0 }
    try {
      for (let body: object | undefined = first; ; ) {
        const reply = await this.callWithPauses(`POST /api/repair/${name}`, body as object)
        total.affected += reply.affected
        total.calls++
        bar.update(`${name}: ${total.affected} so far`)
        body = nextBody(body as Record<string, unknown>, reply)
        if (!body) return { name, ...total, reply }
      }
    } finally {
      bar.stop()
    }
  }

  private async callWithPauses(address: string, body: object): Promise<RepairReply> {
    for (;;) {
      try {
        const request = { body } as Request<Address>
        return (await call(address as Address, request, { ...this.globals, timeoutMs })) as RepairReply
      } catch (error) {
        const seconds = pauseOf(error)
        if (seconds === undefined) throw error
        await delay(seconds * 1000)
      }
    }
  }
}

/** Returns a pause in seconds if it is short enough to wait. */
function pauseOf(error: unknown): number | undefined {
  if (!(error instanceof ClientError) || error.code !== 'rate_limited') return undefined
  const { retryAfterSeconds } = (error.details ?? {}) as { retryAfterSeconds?: number }
  return retryAfterSeconds !== undefined && retryAfterSeconds <= 60 ? retryAfterSeconds : undefined
}

function doneLines({ affected, calls, reply }: RepairResult): string[] {
  const mark = reply.success ? colorsFor().green('✓') : colorsFor().red('✗')
  const [last = '', ...details] = repairLines(reply, colorsFor())
  const whole = calls > 1 ? `${affected} in ${calls} calls, last call: ${last}` : last
  return [`${mark} ${whole}`, ...details]
}
