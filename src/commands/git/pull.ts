import { GitCommand, type GitOutcome } from '../../cli/operations/git/git-command.js'

export default class GitPull extends GitCommand {
  static override summary = 'Fetch what the remote has, and put own commits on top of it.'
  static override description =
    'Files with changes that are not committed are never written over; where both sides changed a file, nothing is changed and the file is named.'
  static override examples = ['<%= config.bin %> git pull']

  async run(): Promise<GitOutcome> {
    await this.parse(GitPull)
    return this.act('POST /api/git/pull', 'asking the remote')
  }
}
