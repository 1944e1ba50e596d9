import { isUtf8 } from 'node:buffer'
import type { Reply } from '../../../contract/api.js'
import { blockBegin, blockEnd } from '../../../lib/files/own-block.js'
import { oneLine } from '../../../lib/text/one-line.js'
import { applyChanges, readBytes } from '../../sessions/connect/settings-files.js'
import { CliError } from '../../shell/cli-error.js'

type Listed = Reply<'GET /api/memories'>['memories'][number]

const end = `${blockEnd}\n`
const newFileMode = 0o644
const longestLine = 300
const mostLines = 60

/** Returns the lines of a block: rules and decisions of a project, each in one line. */
export function blockLines(memories: readonly Listed[]): string[] {
  const shown = memories.slice(0, mostLines).map(({ content, type }) => {
    const text = oneLine(content, longestLine).replaceAll('<!--', '').replaceAll('-->', '')
    return `- ${type === 'decision' ? 'Decided: ' : ''}${text}`
  })
  const more = memories.length - shown.length
  return more > 0 ? [...shown, `- ... and ${more} more: memory list --type rule,decision`] : shown
}

/** Puts the block into a file for agents, or replaces it. @returns true if the file changed */
export function putBlock(file: string, lines: readonly string[]): boolean {
  const bytes = readBytes(file)
  const before = bytes && textOf(bytes, file)
  const found = before === undefined ? undefined : partsOf(before, file)
  const kind = found?.kind ?? (before === undefined ? 'file' : /(?:^|\n)$/u.test(before) ? 'none' : 'line')
  const head = found?.head ?? `${before ?? ''}${kind === 'line' ? '\n' : ''}`
  const block = [
    `<!-- memory-service:begin ${kind} -->`,
    '## Rules and decisions from memory',
    '',
    ...lines,
    end,
  ].join('\n')
  const text = `${head}${block}${found?.tail ?? ''}`
  if (text === before) return false
  applyChanges([{ path: file, before: bytes, after: Buffer.from(text), newMode: newFileMode }])
  return true
}

/** Takes the block out again; a file that was made for it goes. @returns true if there was one */
export function removeBlock(file: string): boolean {
  const bytes = readBytes(file)
  const found = bytes && partsOf(textOf(bytes, file), file)
  if (!found) return false
  const head = found.kind === 'line' ? found.head.replace(/\n$/u, '') : found.head
  const rest = head + found.tail
  const isOurs = found.kind === 'file' && rest === ''
  applyChanges([{ path: file, before: bytes, after: isOurs ? undefined : Buffer.from(rest) }])
  return true
}

/** @throws CliError for bytes that would not be the same again. */
function textOf(bytes: Buffer, file: string): string {
  if (isUtf8(bytes)) return bytes.toString()
  throw new CliError(`${file} is not UTF-8 text; nothing was written`, {
    code: 'not_writable',
    exit: 'refused',
  })
}

interface BlockParts {
  kind: string
  head: string
  tail: string
}

/** @throws CliError for a file whose second mark is missing, since its end is then unknown. */
function partsOf(text: string, file: string): BlockParts | undefined {
  const mark = blockBegin.exec(text)
  if (!mark) return undefined
  const last = text.indexOf(blockEnd, mark.index)
  if (last < 0)
    throw new CliError(`${file} has the first mark of the block but not the second one`, {
      code: 'conflict',
      exit: 'refused',
      nextSteps: [`put the line ${blockEnd} where the block ends`],
    })
  const tail = text.slice(last + (text.startsWith(end, last) ? end : blockEnd).length)
  return { kind: mark[1] as string, head: text.slice(0, mark.index), tail }
}
