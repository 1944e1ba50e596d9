import { GitCommand, type GitOutcome } from '../../cli/operations/git/git-command.js'

export default class GitSync extends GitCommand {
  static override summary = 'Commit changes, pull, and push.'
  static override description =
    'Settings, Markdown, skills and transcripts are committed; the database, secrets, models and files over ' +
    '5 MiB never. If there is a conflict, nothing is changed and the conflicting files are listed.'
  static override examples = ['<%= config.bin %> git sync']

  async run(): Promise<GitOutcome> {
    await this.parse(GitSync)
    return this.act('POST /api/git/sync', 'committing, pulling and pushing')
  }
}
