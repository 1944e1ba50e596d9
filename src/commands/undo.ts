import { Args, Flags } from '@oclif/core'
import { CliError } from '../cli/shell/cli-error.js'
import { DaemonCommand } from '../cli/shell/daemon-command.js'
import { exitCodes } from '../cli/shell/exit-codes.js'
import { colorsFor, formatTable, print, printNote, shownId } from '../cli/terminal/output.js'
import { printLong } from '../cli/terminal/pager.js'
import { plainLine } from '../cli/terminal/text.js'
import type { Reply } from '../contract/api.js'
import { countOf } from '../lib/text/count-of.js'
import { hasIdPart, isIdPart } from '../lib/text/uuid.js'
import { formatAge } from '../lib/time/age.js'

type Removal = Reply<'GET /api/memories/removals'>['removals'][number]

const mostListed = 100
const batch = 200

export default class Undo extends DaemonCommand {
  static override summary = 'Bring back what you forgot last, all of it, within 30 days.'
  static override description =
    'Each command, screen or button that forgets memories is one removal. @2 is the one before the last; ' +
    '--list shows them. When piped, --list prints one removal per line with tab-separated fields: id, time, ' +
    'number of memories, reason, text of the first one.'
  static override examples = [
    '<%= config.bin %> undo',
    '<%= config.bin %> undo --list',
    '<%= config.bin %> undo @2',
  ]
  static override args = {
    removal: Args.string({ description: '@N of --list, or the id of a removal.', ignoreStdin: true }),
  }
  static override flags = {
    list: Flags.boolean({ summary: 'Show what can be undone, without undoing it.' }),
  }

  async run(): Promise<Reply<'POST /api/memory/recover'> | { removals: Removal[]; count: number }> {
    const { args, flags } = await this.parse(Undo)
    const query = { limit: mostListed }
    const { removals } = await this.call('GET /api/memories/removals', { query })
    if (flags.list) return this.show(removals)
    const removal = chosen(removals, args.removal)
    const ids = removal.memories.map(({ id }) => id)
    const results: Reply<'POST /api/memory/recover'>['results'] = []
    for (let start = 0; start < ids.length; start += batch)
      results.push(...(await this.recover(ids.slice(start, start + batch))))
    const recovered = results.filter(({ status }) => status === 'recovered').length
    if (recovered < ids.length) process.exitCode = exitCodes.refused.code
    const result = { requested: ids.length, recovered, results }
    if (!this.jsonEnabled())
      print([`Recovered ${countOf(recovered, 'memory', 'memories')}`, ...lines(removal, results)].join('\n'))
    return result
  }

  private async recover(ids: string[]): Promise<Reply<'POST /api/memory/recover'>['results']> {
    return (await this.call('POST /api/memory/recover', { body: { ids, reason: 'undone by a person' } }))
      .results
  }

  private async show(removals: Removal[]): Promise<{ removals: Removal[]; count: number }> {
    const list = { removals, count: removals.length }
    if (this.jsonEnabled()) return list
    const colors = colorsFor()
    const rows = removals.map(({ id, at, reason, memories }, index) =>
      process.stdout.isTTY
        ? [
            `@${index + 1}`,
            formatAge(at, Date.now()),
            String(memories.length),
            plainLine(reason),
            startOf(memories),
          ]
        : [id, at, String(memories.length), plainLine(reason), startOf(memories)],
    )
    if (rows.length === 0) printNote('Nothing to undo.')
    else if (process.stdout.isTTY)
      await printLong(formatTable(['ROW', 'FORGOTTEN', 'MEMORIES', 'REASON', 'TEXT'], rows, colors))
    else print(rows.map(row => row.join('\t')).join('\n'))
    return list
  }
}

/** @throws CliError `not_found` without such a removal */
function chosen(removals: readonly Removal[], word: string | undefined): Removal {
  const [, row] = /^@(\d{1,6})$/u.exec(word ?? '@1') ?? []
  const found =
    row === undefined
      ? removals.filter(
          ({ id }) => id === word || (isIdPart(word as string) && hasIdPart(id, word as string)),
        )
      : removals.slice(Number(row) - 1, Number(row))
  const [removal] = found
  if (removal && found.length === 1) return removal
  const missing =
    removals.length === 0 ? 'nothing to undo: you forgot nothing in the last 30 days' : undefined
  throw new CliError(missing ?? `there is not exactly one removal "${word}"`, {
    code: 'not_found',
    exit: 'notFound',
    nextSteps: removals.length === 0 ? ['memory list --forgotten'] : ['memory undo --list'],
  })
}

function lines({ memories }: Removal, results: Reply<'POST /api/memory/recover'>['results']): string[] {
  const statuses = new Map(results.map(({ id, status }) => [id, status]))
  return memories.map(({ id, type, content }) => {
    const status = statuses.get(id)
    const why = status === 'recovered' ? '' : `not recovered, ${status?.replaceAll('_', ' ')}: `
    return `  ${shownId(id)}  ${why}${type}  ${plainLine(content)}`
  })
}

function startOf([first]: Removal['memories']): string {
  return first === undefined ? '' : plainLine(first.content)
}
