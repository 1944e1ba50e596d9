import { Args, Flags } from '@oclif/core'
import { repositoryName, SourceCommand } from '../../../cli/knowledge/sources/source-command.js'
import type { Request } from '../../../contract/api.js'

/** Words between commas, in one flag or in several. */
const words = { multiple: true, delimiter: ',' } as const

type Body = NonNullable<Request<'POST /api/sources/coderepo'>['body']>

export default class SourcesAddGithub extends SourceCommand {
  static override summary =
    'Read issues, pull requests, discussions and documentation of GitHub repositories.'
  static override description =
    'Reads in the background, again every hour while the daemon runs, and never writes to GitHub. Private repositories and ' +
    'discussions need a token: store it as a secret and give its name. The same repositories given again take the flags ' +
    'that are given now. An enterprise server is named by sources.coderepo.apiBaseUrl in agent.yaml.'
  static override examples = [
    '<%= config.bin %> sources add github cli/cli --wait',
    '<%= config.bin %> secrets set GITHUB_TOKEN && <%= config.bin %> sources add github octo/site octo/shop --token-ref GITHUB_TOKEN',
    "<%= config.bin %> sources add github octo/site --types docs --docs 'guides/**'",
    '<%= config.bin %> sources add github octo/site --types issues,pulls --state open --labels bug --no-comments',
  ]
  static override args = {
    repository: Args.string({
      description: 'OWNER/REPO, or the address of its page.',
      required: true,
      multiple: true,
      ignoreStdin: true,
    }),
  }
  static override flags = {
    'token-ref': Flags.string({
      summary: 'Name of the secret that holds the token, never the token itself.',
      helpValue: 'NAME',
    }),
    types: Flags.string({
      ...words,
      summary: 'What to read (default: issues,pulls,docs, with a token also discussions).',
      options: ['issues', 'pulls', 'discussions', 'docs'],
    }),
    docs: Flags.string({
      multiple: true,
      summary:
        'Markdown files to read, may be given several times (default: those at the root, in docs, doc and .github).',
      helpValue: 'GLOB',
    }),
    labels: Flags.string({ ...words, summary: 'Only what has all of these labels.', helpValue: 'LABEL' }),
    state: Flags.string({
      summary: 'Only what is open or closed (default: all).',
      options: ['open', 'closed', 'all'],
    }),
    comments: Flags.boolean({ summary: 'Read comments too (default: yes).', allowNo: true }),
    'max-items': Flags.integer({
      summary: 'Read only the newest of each resource of each repository (default: everything).',
      helpValue: 'COUNT',
      min: 1,
    }),
    name: Flags.string({ summary: 'What to call it (default: the repositories).', helpValue: 'TEXT' }),
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
    return this.tellAdded(added, flags)
  }
}
