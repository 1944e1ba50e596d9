import { openForeign } from '../../../../lib/files/open-foreign.js'
import { jsonOf } from '../../../../lib/text/json-of.js'
import { type Compaction, parseCompaction } from './codex.js'

const blockBytes = 256 * 1024
/** Maximum distance from the end of a rollout. */
const maxBytes = 16 * 1024 * 1024
const newline = 10

/**
 * Reads the summary of the last compaction in a Codex rollout from the end of the file, since the compaction
 * hook does not contain it. Errors of opening the file are thrown.
 * @returns undefined when the last 16 MiB contain none.
 */
export async function lastCompaction(file: string): Promise<Compaction | undefined> {
  const handle = await openForeign(file)
  try {
    const { size } = await handle.stat()
    const earliest = Math.max(0, size - maxBytes)
    let tail: Buffer = Buffer.alloc(0)
    for (let start = size; start > earliest; ) {
      const end = start
      start = Math.max(earliest, start - blockBytes)
      const block = Buffer.alloc(end - start)
      await handle.read(block, 0, block.length, start)
      // Data before the first line break may be half a line.
      const data = Buffer.concat([block, tail])
      const first = start === 0 ? 0 : data.indexOf(newline) + 1
      const found = lastIn(data.subarray(first))
      if (found) return found
      tail = first > 0 ? data.subarray(0, first) : start === 0 ? Buffer.alloc(0) : data
    }
    return undefined
  } finally {
    await handle.close()
  }
}

function lastIn(data: Buffer): Compaction | undefined {
  for (const line of data.toString('utf8').split('\n').reverse()) {
    const value = line.includes('"compacted"') ? parsed(line) : undefined
    const found = value && parseCompaction(value)
    if (found) return found
  }
  return undefined
}

function parsed(line: string): object | undefined {
  const value = jsonOf(line)
  return typeof value === 'object' && value !== null ? value : undefined
}
