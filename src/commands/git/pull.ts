import { GitCommand, type GitOutcome } from '../../cli/operations/git/git-command.js'

export default class GitPull extends GitCommand {
  static override summary = 'Fetch from the remote and rebase local commits onto it.'
  static override description =
    'Uncommitted changes are never overwritten. If both sides changed a file, nothing is changed and the ' +
    'conflicting files are listed.'
  static override examples = ['<%= config.bin %> git pull']

  async run(): Promise<GitOutcome> {
    await this.parse(GitPull)
    return this.act('POST /api/git/pull', 'fetching from the remote')
  }
}
