import { GitCommand, type GitOutcome } from '../../cli/operations/git/git-command.js'

export default class GitPush extends GitCommand {
  static override summary = 'Push local commits to the remote.'
  static override description =
    'Fails if the remote has commits that are missing here; memory git sync pulls them first.'
  static override examples = ['<%= config.bin %> git push']

  async run(): Promise<GitOutcome> {
    await this.parse(GitPush)
    return this.act('POST /api/git/push', 'pushing to the remote')
  }
}
