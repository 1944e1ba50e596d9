import { Args, Flags } from '@oclif/core'
import { canAsk } from '../cli/consent/consent.js'
import { cardRows, cardsText, waitingText } from '../cli/knowledge/ontology/review-text.js'
import { memoryTable } from '../cli/memory/list.js'
import { CliError } from '../cli/shell/cli-error.js'
import { DaemonCommand } from '../cli/shell/daemon-command.js'
import { exitCodes } from '../cli/shell/exit-codes.js'
import { rowOf } from '../cli/shell/listed-rows.js'
import { colorsFor, outputWidth, print, printNote, shownId } from '../cli/terminal/output.js'
import { plainLine } from '../cli/terminal/text.js'
import type { Reply } from '../contract/api.js'
import type { ReviewDecision } from '../contract/knowledge/ontology-review.js'
import { countOf } from '../lib/text/count-of.js'

type Cards = Reply<'GET /api/ontology/review'>
type Decided = Reply<'POST /api/ontology/review'>
type Undone = Reply<'POST /api/ontology/undo'>
type Stale = Reply<'GET /api/memories'>

const staleDays = 180
const mostStale = 100

const mostCards = 100
const usualCards = 10
const decisionFlags = ['keep', 'replace', 'both', 'not-a-fact'] as const

export default class Review extends DaemonCommand {
  static override summary = 'Decide suggested facts and contradictions, at most ten a day.'
  static override description =
    'Shows each suggestion as a card: the current value beside the suggested one, with quotes. k keeps the ' +
    'current value, r replaces it (or adds a new fact), b takes both, n says that it is not a fact; the same in ' +
    'upper case decides all cards of the entity. s skips, u undoes, q ends. With ids and a flag, or --entity and ' +
    'a flag, decides without asking. When piped, prints one card per line with tab-separated fields: id, ' +
    'entity, attribute, current, suggested, quote, source.'
  static override examples = [
    '<%= config.bin %> review',
    '<%= config.bin %> review @1 @2 --replace',
    '<%= config.bin %> review --entity scheduler --keep',
    '<%= config.bin %> review --undo',
    '<%= config.bin %> review --stale',
  ]
  static override args = {
    ids: rowOf(
      'proposal',
      Args.string({ description: 'Ids of cards to decide.', multiple: true, ignoreStdin: true }),
    ),
  }
  static override flags = {
    keep: Flags.boolean({ summary: 'Keep the current value.', exclusive: decisionFlags.slice(1) }),
    replace: Flags.boolean({ summary: 'Take the suggestion.', exclusive: ['both', 'not-a-fact'] }),
    both: Flags.boolean({ summary: 'Keep both values.', exclusive: ['not-a-fact'] }),
    'not-a-fact': Flags.boolean({ summary: 'Reject the suggestion: the text was misread.' }),
    entity: Flags.string({ summary: 'Only cards of this entity.', helpValue: 'NAME' }),
    all: Flags.boolean({ summary: 'Also more than ten a day.' }),
    list: Flags.boolean({ summary: 'List cards without asking for decisions.' }),
    undo: Flags.boolean({ summary: 'Undo the last decisions, with an id those of that batch.' }),
    stale: Flags.boolean({
      summary: 'List memories that no recall found for half a year, the least important first.',
      exclusive: [...decisionFlags, 'entity', 'all', 'list', 'undo'],
    }),
  }

  async run(): Promise<Cards | Decided | Undone | Stale> {
    const { args, flags } = await this.parse(Review)
    const ids = args.ids ?? []
    if (flags.undo) return this.undo(ids[0])
    if (flags.stale) return this.stale()
    const chosen = decisionFlags.find(name => flags[name])
    const decision = chosen?.replaceAll('-', '_') as ReviewDecision | undefined
    if (ids.length > 0 && decision) return this.decide(ids, decision)
    if (ids.length > 0) throw needsDecision(ids[0] as string)
    const query = {
      limit: flags.all || flags.entity ? mostCards : usualCards,
      entity: flags.entity,
      all: flags.all ? ('true' as const) : ('false' as const),
    }
    const reply = await this.call('GET /api/ontology/review', { query })
    if (decision && flags.entity) return this.decide(cardIds(reply), decision)
    if (decision) throw needsDecision('ID')
    if (this.jsonEnabled()) return reply
    this.keepRows('proposal', cardIds(reply))
    if (reply.count > 0 && !flags.list && canAsk(false)) await this.show(reply)
    else if (reply.count > 0)
      print(process.stdout.isTTY ? cardsText(reply.cards, colorsFor()) : cardRows(reply.cards))
    printNote(colorsFor(process.stderr).dim(waitingText(reply)))
    return reply
  }

  private async decide(ids: readonly string[], decision: ReviewDecision): Promise<Decided> {
    if (ids.length === 0) {
      printNote('Nothing to review.')
      return { results: [], batch: '' }
    }
    const reply = await this.call('POST /api/ontology/review', {
      body: { decisions: ids.map(id => ({ id, decision })) },
    })
    const failed = reply.results.filter(({ status }) => status !== 'decided')
    if (failed.length > 0) process.exitCode = exitCodes.refused.code
    if (!this.jsonEnabled()) {
      print(
        `Decided ${countOf(reply.results.length - failed.length, 'suggestion')}; memory review --undo takes it back`,
      )
      for (const { id, status, blockedReason } of failed)
        printNote(`${shownId(id)}: ${(blockedReason ?? status).replaceAll('_', ' ')}`)
    }
    return reply
  }

  /** Nothing is forgotten by itself: the list says what was never used. */
  private async stale(): Promise<Stale> {
    const query = { unusedDays: staleDays, sort: 'importance', limit: mostStale } as const
    const reply = await this.call('GET /api/memories', { query })
    const memories = reply.memories.toReversed()
    if (this.jsonEnabled()) return { ...reply, memories }
    this.keepRows(
      'memory',
      memories.map(({ id }) => id),
    )
    const width = process.stdout.isTTY ? outputWidth() : undefined
    const rows = width === undefined ? memories : await this.withProjectNames(memories)
    if (memories.length > 0) print(memoryTable(rows, { colors: colorsFor(), width, now: Date.now() }))
    const count = countOf(reply.matching, 'memory', 'memories')
    const next = memories.length > 0 ? '; next: memory forget @1, or memory edit @1 --expires 30d' : ''
    printNote(`${count} not used for ${staleDays} days${next}`)
    return { ...reply, memories }
  }

  private async undo(batch: string | undefined): Promise<Undone> {
    const reply = await this.call('POST /api/ontology/undo', { body: { batch } })
    if (!this.jsonEnabled())
      print(['Undone:', ...(reply.undone ?? []).map(one => `  ${plainLine(one)}`)].join('\n'))
    return reply
  }

  /** Ink is loaded only here. */
  private async show({ cards }: Cards): Promise<void> {
    const { reviewScreen } = await import('../cli/tui/review.js')
    const decided = await reviewScreen({
      cards,
      color: colorsFor().isColorSupported,
      decide: async decisions => {
        const body = { decisions: [...decisions] }
        return (await this.call('POST /api/ontology/review', { body })).batch
      },
      undo: async batch => {
        await this.call('POST /api/ontology/undo', { body: { batch } })
      },
    })
    print(`${countOf(decided, 'suggestion')} decided`)
  }
}

function cardIds({ cards }: Cards): string[] {
  return cards.map(({ id }) => id)
}

function needsDecision(id: string): CliError {
  return new CliError(
    'a decision needs both: ids or --entity, and --keep, --replace, --both or --not-a-fact',
    {
      code: 'invalid_input',
      exit: 'usage',
      nextSteps: [`memory review ${id} --replace`],
    },
  )
}
