import { Flags } from '@oclif/core'
import { momentFlag, momentOf } from '../cli/memory/flags.js'
import { type DaemonUse, daemonUseText } from '../cli/operations/daemon/daemon-text.js'
import { DaemonCommand } from '../cli/shell/daemon-command.js'
import { colorsFor, print } from '../cli/terminal/output.js'

export default class Stats extends DaemonCommand {
  static override summary =
    'Show usage, latency and errors of the daemon, and how much recalled memory sessions used.'
  static override description =
    'Requests, latencies and errors are counted since the start of the daemon; continuity scores cover the ' +
    'last year and show how much of the memory shown to sessions was used. A token is counted as four ' +
    'characters. For longer periods: memory telemetry stats.'
  static override examples = [
    '<%= config.bin %> stats',
    '<%= config.bin %> stats --project shop --endpoints',
    '<%= config.bin %> stats --stage git --since 1h -n 50',
    '<%= config.bin %> stats --json',
  ]
  static override flags = {
    project: Flags.string({ summary: 'Only the continuity of this project.', helpValue: 'NAME' }),
    since: momentFlag({ summary: 'Only errors from this time on (date, 1h, yesterday).' }),
    stage: Flags.string({ summary: 'Only errors of this part of the daemon.', helpValue: 'NAME' }),
    limit: Flags.integer({ char: 'n', summary: 'Maximum number of errors.', default: 5, min: 1, max: 500 }),
    endpoints: Flags.boolean({ summary: 'Show each endpoint that was called.' }),
  }

  async run(): Promise<DaemonUse> {
    const { project, since, stage, limit, endpoints } = (await this.parse(Stats)).flags
    const query = { stage, limit, since: momentOf('--since', since) }
    // The first call starts the daemon if needed.
    const usage = await this.call('GET /api/analytics/usage')
    const [latency, errors, memorySafety, continuity, latest] = await Promise.all([
      this.call('GET /api/analytics/latency'),
      this.call('GET /api/analytics/errors', { query }),
      this.call('GET /api/analytics/memory-safety'),
      this.call('GET /api/analytics/continuity', { query: { project } }),
      this.call('GET /api/analytics/continuity/latest'),
    ])
    const projects = latest.scores.filter(score => project === undefined || score.project === project)
    const stats = { usage, latency, errors, memorySafety, continuity, projects }
    if (!this.jsonEnabled()) print(daemonUseText(stats, { colors: colorsFor(), now: Date.now(), endpoints }))
    return stats
  }
}
