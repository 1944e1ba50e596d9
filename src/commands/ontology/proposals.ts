import { Flags } from '@oclif/core'
import { canAsk } from '../../cli/consent/consent.js'
import { type Proposal, proposalTable } from '../../cli/knowledge/ontology/proposals.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { listFlags, listPage, printItems } from '../../cli/shell/list-output.js'
import { colorsFor, print, printNote } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'
import { countOf } from '../../lib/text/count-of.js'

const statuses = ['pending', 'blocked', 'shadow', 'rejected', 'applied'] as const

export default class OntologyProposals extends DaemonCommand {
  static override summary = 'Review suggested facts: apply or reject them.'
  static override description =
    'Shows each proposal with its evidence; you can apply, reject or skip it, or undo the last decision. ' +
    'With --list, when piped, and for decided proposals, prints a list with tab-separated fields: id, ' +
    'createdAt, status, operation, change.'
  static override examples = [
    '<%= config.bin %> ontology proposals',
    '<%= config.bin %> ontology proposals --status applied',
  ]
  static override flags = {
    ...listFlags,
    status: Flags.option({ summary: 'Only proposals with this status.', options: statuses })(),
    list: Flags.boolean({ summary: 'List proposals without asking for decisions.' }),
    reason: Flags.string({
      summary: 'Reason, saved with each decision.',
      default: 'decided on the terminal',
    }),
    limit: Flags.integer({
      summary: 'Maximum number of proposals.',
      char: 'n',
      default: 50,
      min: 1,
      max: 200,
    }),
    offset: Flags.integer({ summary: 'Number of proposals to skip.', default: 0, min: 0, max: 100_000 }),
  }

  async run(): Promise<Reply<'GET /api/ontology/proposals'>> {
    const { flags } = await this.parse(OntologyProposals)
    const { status, list, reason, limit, offset } = flags
    const reply = await this.call('GET /api/ontology/proposals', { query: { status, limit, offset } })
    const page = listPage(reply.proposals, { total: null, offset, more: reply.hasMore })
    if (this.jsonEnabled()) return { ...reply, ...page }
    if (printItems(page, flags)) return reply
    this.keepRows(
      'proposal',
      reply.proposals.map(({ id }) => id),
    )
    const isOpen = status === undefined || status === 'pending' || status === 'blocked'
    if (reply.count > 0 && isOpen && !list && canAsk(false)) await this.decide(reply.proposals, reason)
    else if (reply.count > 0)
      print(
        proposalTable(reply.proposals, {
          colors: colorsFor(),
          now: Date.now(),
          tabs: process.stdout.isTTY !== true,
        }),
      )
    const next = reply.hasMore ? `, next: --offset ${offset + reply.count}` : ''
    const footer =
      reply.count === 0 ? 'No proposals to review.' : `${countOf(reply.count, 'proposal')}${next}`
    printNote(colorsFor(process.stderr).dim(footer))
    return reply
  }

  /** Ink is loaded only here. */
  private async decide(proposals: readonly Proposal[], reason: string): Promise<void> {
    const { decideProposals } = await import('../../cli/tui/proposals.js')
    const { applied, rejected } = await decideProposals({
      proposals,
      color: colorsFor().isColorSupported,
      send: async ({ id, verb }) => {
        await this.call(`POST /api/ontology/proposals/:id/${verb}`, { params: { id }, body: { reason } })
      },
    })
    print(`${applied} applied, ${rejected} rejected`)
  }
}
