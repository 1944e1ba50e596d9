import { Args } from '@oclif/core'
import { DaemonCommand } from '../cli/shell/daemon-command.js'
import { rowOf } from '../cli/shell/listed-rows.js'
import { colorsFor, print, printNote, shownId } from '../cli/terminal/output.js'
import type { Reply } from '../contract/api.js'

const judgements = ['up', 'down', 'wrong', 'none'] as const

const words = {
  up: 'Rated helpful',
  down: 'Rated not helpful',
  wrong: 'Marked as wrong',
  none: 'Rating removed',
} as const satisfies Record<(typeof judgements)[number], string>

export default class Rate extends DaemonCommand {
  static override summary = 'Say that a memory is helpful, not helpful or wrong.'
  static override description =
    'Counts in all recalls, until another rating replaces it. up and down move the memory among those that ' +
    'answer about as well; wrong puts it behind every memory that answers. none removes the rating. ' +
    'memory recall --explain shows the effect.'
  static override examples = [
    '<%= config.bin %> rate 0198c0de-0000-7000-8000-000000000001 up',
    '<%= config.bin %> rate 0198c0de-0000-7000-8000-000000000001 wrong',
  ]
  static override args = {
    id: rowOf('memory', Args.string({ description: 'Id of the memory.', required: true, ignoreStdin: true })),
    judgement: Args.string({
      description: 'Your rating.',
      required: true,
      ignoreStdin: true,
      options: [...judgements],
    }),
  }

  async run(): Promise<Reply<'POST /api/memory/:id/judgement'>> {
    const { id, judgement: given } = (await this.parse(Rate)).args
    const judgement = given as (typeof judgements)[number]
    const reply = await this.call('POST /api/memory/:id/judgement', { params: { id }, body: { judgement } })
    if (this.jsonEnabled()) return reply
    const colors = colorsFor()
    print(`${colors.green(words[judgement])}  ${colors.bold(shownId(reply.id))}`)
    if (judgement === 'wrong')
      printNote(
        `Correct it: memory edit ${id} --text "..."\nOr forget it: memory forget ${id} --reason "wrong"`,
      )
    return reply
  }
}
