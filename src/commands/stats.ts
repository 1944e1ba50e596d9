import { Flags } from '@oclif/core'
import { momentFlag, momentOf } from '../cli/memory/flags.js'
import { type DaemonUse, daemonUseText } from '../cli/operations/daemon/daemon-text.js'
import { DaemonCommand } from '../cli/shell/daemon-command.js'
import { colorsFor, print } from '../cli/terminal/output.js'

export default class Stats extends DaemonCommand {
  static override summary =
    'Show how the daemon is used, how fast it answers, what went wrong, and how much of memory sessions use.'
  static override description =
    'Requests, latencies and errors since the daemon started; scores of continuity of the last year, which tell how ' +
    'much of what sessions were shown they used. Tokens are four characters each. memory telemetry stats tells of ' +
    'longer times what events counted.'
  static override examples = [
    '<%= config.bin %> stats',
    '<%= config.bin %> stats --project shop --endpoints',
    '<%= config.bin %> stats --stage git --since 1h -n 50',
    '<%= config.bin %> stats --json',
  ]
  static override flags = {
    project: Flags.string({ summary: 'Continuity of this project alone.', helpValue: 'NAME' }),
    since: momentFlag({ summary: 'Errors from then on alone (date, 1h, yesterday).' }),
    stage: Flags.string({ summary: 'Errors of this part of the daemon alone.', helpValue: 'NAME' }),
    limit: Flags.integer({ char: 'n', summary: 'How many errors at most.', default: 5, min: 1, max: 500 }),
    endpoints: Flags.boolean({ summary: 'Show each endpoint that was asked.' }),
  }

  async run(): Promise<DaemonUse> {
    const { project, since, stage, limit, endpoints } = (await this.parse(Stats)).flags
    const query = { stage, limit, since: momentOf('--since', since) }
    // The first one starts the daemon where none runs.
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
