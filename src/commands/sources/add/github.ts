import { Args, Flags } from '@oclif/core'
import { repositoryName, SourceCommand } from '../../../cli/knowledge/sources/source-command.js'
import type { Request } from '../../../contract/api.js'

/** Comma-separated words, in one flag or in several. */
const words = { multiple: true, delimiter: ',' } as const

type Body = NonNullable<Request<'POST /api/sources/coderepo'>['body']>

export default class SourcesAddGithub extends SourceCommand {
  static override summary =
    'Add issues, pull requests, discussions and docs of GitHub repositories as a source.'
  static override description =
    'Reads in the background, and again every hour while the daemon runs; never writes to GitHub. Private ' +
    'repositories and discussions need a token: store it as a secret and name it with --token-ref. Adding ' +
    'the same repositories again updates their flags. For an enterprise server, set ' +
    'sources.coderepo.apiBaseUrl in agent.yaml.'
  static override examples = [
    '<%= config.bin %> sources add github cli/cli --wait',
    '<%= config.bin %> secrets set GITHUB_TOKEN && <%= config.bin %> sources add github octo/site octo/shop --token-ref GITHUB_TOKEN',
    "<%= config.bin %> sources add github octo/site --types docs --docs 'guides/**'",
    '<%= config.bin %> sources add github octo/site --types issues,pulls --state open --labels bug --no-comments',
  ]
  static override args = {
    repository: Args.string({
      description: 'OWNER/REPO, or the URL of a repository.',
      required: true,
      multiple: true,
      ignoreStdin: true,
    }),
  }
  static override flags = {
    'token-ref': Flags.string({
      summary: 'Name of the secret with the token, never the token itself.',
      helpValue: 'NAME',
    }),
    types: Flags.string({
      ...words,
      summary: 'Content to read (default: issues,pulls,docs, and discussions with a token).',
      options: ['issues', 'pulls', 'discussions', 'docs'],
    }),
    docs: Flags.string({
      multiple: true,
      summary:
        'Markdown files to read; repeatable (default: those at the root and in docs, doc and .github).',
      helpValue: 'GLOB',
    }),
    labels: Flags.string({ ...words, summary: 'Only items with all of these labels.', helpValue: 'LABEL' }),
    state: Flags.string({
      summary: 'Only open or closed items (default: all).',
      options: ['open', 'closed', 'all'],
    }),
    comments: Flags.boolean({ summary: 'Also read comments (default: yes).', allowNo: true }),
    'max-items': Flags.integer({
      summary: 'Maximum number of items of each type per repository, newest first (default: all).',
      helpValue: 'COUNT',
      min: 1,
    }),
    name: Flags.string({ summary: 'Display name (default: the repositories).', helpValue: 'TEXT' }),
    wait: Flags.boolean({ summary: 'Wait until everything is read.' }),
  }

  async run() {
    const { args, flags } = await this.parse(SourcesAddGithub)
    const repos = args.repository.map(repositoryName)
    const added = await this.call('POST /api/sources/coderepo', {
      body: {
        repos,
        tokenRef: flags['token-ref'],
        resourceTypes: flags.types as Body['resourceTypes'],
        docPaths: flags.docs,
        labels: flags.labels,
        state: flags.state as Body['state'],
        includeComments: flags.comments,
        maxItemsPerRepo: flags['max-items'],
        name: flags.name,
        agentId: this.globals.agent,
      },
    })
    return this.printAdded(added, flags)
  }
}
