import { Flags } from '@oclif/core'
import { canAsk } from '../../cli/consent/consent.js'
import { type Proposal, proposalTable } from '../../cli/knowledge/ontology/proposals.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { colorsFor, print, printNote } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'
import { countOf } from '../../lib/text/count-of.js'

const statuses = ['pending', 'blocked', 'shadow', 'rejected', 'applied'] as const

export default class OntologyProposals extends DaemonCommand {
  static override summary = 'See what waits for a decision, and decide.'
  static override description =
    'On a terminal each proposal is shown with its evidence: apply, reject or skip it, or undo the last decision. With ' +
    '--list, in a pipe and for decided ones it is a list: tab-separated fields id, createdAt, status, operation, change.'
  static override examples = [
    '<%= config.bin %> ontology proposals',
    '<%= config.bin %> ontology proposals --status applied',
  ]
  static override flags = {
    status: Flags.option({ summary: 'Only proposals in this state.', options: statuses })(),
    list: Flags.boolean({ summary: 'List them, do not ask.' }),
    reason: Flags.string({ summary: 'Why, kept with each decision.', default: 'decided on the terminal' }),
    limit: Flags.integer({ summary: 'At most this many.', char: 'n', default: 50, min: 1, max: 200 }),
    offset: Flags.integer({ summary: 'Skip this many.', default: 0, min: 0, max: 100_000 }),
  }

  async run(): Promise<Reply<'GET /api/ontology/proposals'>> {
    const { status, list, reason, limit, offset } = (await this.parse(OntologyProposals)).flags
    const reply = await this.call('GET /api/ontology/proposals', { query: { status, limit, offset } })
    if (this.jsonEnabled()) return reply
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
    const footer = reply.count === 0 ? 'Nothing waits.' : `${countOf(reply.count, 'proposal')}${next}`
    printNote(colorsFor(process.stderr).dim(footer))
    return reply
  }

  /** Ink loads here, and only here. */
  private async decide(proposals: readonly Proposal[], reason: string): Promise<void> {
    const { decideProposals } = await import('../../cli/tui/proposals/proposals.js')
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
