import { Args } from '@oclif/core'
import { domainText, reportText } from '../cli/operations/diagnostics-text.js'
import { DaemonCommand } from '../cli/shell/daemon-command.js'
import { exitCodes } from '../cli/shell/exit-codes.js'
import { colorsFor, print } from '../cli/terminal/output.js'
import type { Reply } from '../contract/api.js'
import { domainNames } from '../contract/operations/diagnostics-names.js'

/** Of a large store every row is looked at. */
const surveyTimeoutMs = 180_000

export default class Diagnostics extends DaemonCommand {
  static override summary =
    'Score every part of the memory by what is stored, with the reason for each score.'
  static override description =
    'Looks at all rows first, which takes seconds in a large store; nothing is changed. Without a domain each is shown ' +
    'with what is wrong in it, with one all that was looked at. Exit code 6 when something is not healthy. memory ' +
    'doctor looks at this machine too; memory repair mends what has a repair.'
  static override examples = [
    '<%= config.bin %> diagnostics',
    '<%= config.bin %> diagnostics index',
    '<%= config.bin %> diagnostics storage --json',
  ]
  static override args = {
    domain: Args.string({ description: 'Only this domain.', options: [...domainNames] }),
  }

  async run(): Promise<Reply<'GET /api/diagnostics'> | Reply<'GET /api/diagnostics/:domain'>> {
    const { domain } = (await this.parse(Diagnostics)).args
    const query = { refresh: true }
    const options = { timeoutMs: surveyTimeoutMs, waitingFor: 'looking at every row' }
    if (domain === undefined) {
      const report = await this.call('GET /api/diagnostics', { query }, options)
      this.tell(report.composite.status, () => reportText(report, colorsFor()))
      return report
    }
    const params = { domain: domain as (typeof domainNames)[number] }
    const one = await this.call('GET /api/diagnostics/:domain', { params, query }, options)
    this.tell(one.status, () => domainText(one, colorsFor()))
    return one
  }

  private tell(status: Reply<'GET /api/diagnostics/:domain'>['status'], text: () => string): void {
    if (status !== 'healthy') process.exitCode = exitCodes.findings.code
    if (!this.jsonEnabled()) print(text())
  }
}
