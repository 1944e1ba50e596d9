import { GitCommand, type GitOutcome } from '../../cli/operations/git/git-command.js'

export default class GitPush extends GitCommand {
  static override summary = 'Push what is committed.'
  static override description = 'Where the remote has other commits it says so; sync pulls them first.'
  static override examples = ['<%= config.bin %> git push']

  async run(): Promise<GitOutcome> {
    await this.parse(GitPush)
    return this.act('POST /api/git/push', 'asking the remote')
  }
}
