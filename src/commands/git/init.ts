import { Args, Flags } from '@oclif/core'
import { asksFirst, requireConsent } from '../../cli/consent/consent.js'
import { askRemote, GitCommand, gitTimeoutMs } from '../../cli/operations/git/git-command.js'
import { leftOutLines, pathLines } from '../../cli/operations/git/git-text.js'
import { print } from '../../cli/terminal/output.js'
import { plainLine } from '../../cli/terminal/text.js'
import type { Reply } from '../../contract/api.js'
import { countOf } from '../../lib/text/count-of.js'

type Plan = Reply<'POST /api/git/init'>

const nextSteps = ['add --dry-run to see what would be committed', 'add --yes to commit it']

export default class GitInit extends GitCommand {
  static override summary = 'Turn the workspace into a git repository and set its remote.'
  static override description =
    'Shows the files to commit and asks for confirmation, and for the remote if none is given. Settings, ' +
    'Markdown, skills and transcripts are committed; the database, secrets and models never. Nothing is ' +
    'pushed until memory git sync.'
  static override examples = [
    '<%= config.bin %> git init git@github.com:me/memory.git',
    '<%= config.bin %> git init --dry-run',
  ]
  static override args = {
    remote: Args.string({
      description: 'Address of the remote (default: none; the repository stays on this machine).',
      ignoreStdin: true,
    }),
  }
  static override flags = {
    'dry-run': Flags.boolean({ summary: 'Show what would be committed without committing it.' }),
    yes: Flags.boolean({ summary: 'Skip confirmation.', char: 'y', exclusive: ['dry-run'] }),
  }

  async run(): Promise<Plan> {
    const { args, flags } = await this.parse(GitInit)
    const json = this.jsonEnabled()
    if (flags['dry-run']) {
      const plan = await this.initialise(args.remote, true)
      if (!json) print(planLines(plan, args.remote ?? (await this.knownRemote())).join('\n'))
      return plan
    }
    if (!asksFirst({ yes: flags.yes, json, nextSteps }))
      return this.printOutcome(await this.initialise(args.remote, false))
    const known = args.remote ?? (await this.knownRemote())
    const remote = known === undefined ? await askRemote() : args.remote
    await requireConsent({
      lines: planLines(await this.initialise(remote, true), remote ?? known),
      question: 'Commit these files?',
    })
    return this.printOutcome(await this.initialise(remote, false))
  }

  private async knownRemote(): Promise<string | undefined> {
    const { remoteUrl } = await this.call('GET /api/git/status', {}, { timeoutMs: gitTimeoutMs })
    return remoteUrl ?? undefined
  }

  private async initialise(remoteUrl: string | undefined, dryRun: boolean): Promise<Plan> {
    const body = { dryRun, ...(remoteUrl !== undefined && { remoteUrl }) }
    const plan = await this.call('POST /api/git/init', { body }, { timeoutMs: gitTimeoutMs })
    return dryRun && !plan.success ? this.printOutcome(plan) : plan
  }
}

function planLines({ created, files, leftOut }: Plan, remote: string | undefined): string[] {
  return [
    created ? 'The workspace will become a git repository.' : 'The workspace is already a git repository.',
    remote === undefined
      ? 'No remote: the repository stays on this machine.'
      : `Remote: ${plainLine(remote)}`,
    files.length === 0 ? 'Nothing to commit.' : `${countOf(files.length, 'file')} to commit:`,
    ...pathLines(files),
    ...leftOutLines(leftOut),
  ]
}
