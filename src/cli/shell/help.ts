import { Config, Help } from '@oclif/core'
import { packageRoot } from '../../lib/files/package-root.js'
import { outputWidth, print } from '../terminal/output.js'
import { padText, wrapText } from '../terminal/text.js'
import { aliases, commandGroups, coreCommands, replacedNames } from './command-groups.js'

const nameWidth = 12
const widest = 100

/** Shows all commands by what one wants, in at most 24 lines. */
export function showGroups(): void {
  const width = Math.min(widest, outputWidth())
  const core = Object.entries(coreCommands).flatMap(([name, purpose]) => row(name, purpose, width))
  const more = Object.entries(commandGroups).flatMap(([group, names]) => row(group, names.join(', '), width))
  const second = Object.entries(aliases).map(([alias, name]) => `${alias} (${name})`)
  print(
    [
      ...wrapText('Usage: memory COMMAND. Details: memory help COMMAND. Full list: memory help all', width),
      ...core,
      ...more,
      ...row('Also', second.join(', '), width),
    ].join('\n'),
  )
}

function row(name: string, text: string, width: number): string[] {
  return wrapText(text, width - nameWidth - 2).map(
    (line, at) => `  ${padText(at === 0 ? name : '', nameWidth)}${line}`,
  )
}

/**
 * Shows oclif's help of one command or topic; of all for an empty id.
 * @param id with colons, known to exist.
 */
export async function showHelp(id: string): Promise<void> {
  const config = await Config.load(packageRoot())
  await new Help(config).showHelp(id === '' ? [] : id.split(':'))
  const replacement = replacedNames[id.split(':')[0] ?? '']
  if (replacement) print(`This is part of memory ${replacement} now. The old name keeps working.`)
}
