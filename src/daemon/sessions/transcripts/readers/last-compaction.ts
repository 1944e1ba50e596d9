import { dirname, join } from 'node:path'
import { openForeign } from '../../../../lib/files/open-foreign.js'
import { isRecord, jsonOf } from '../../../../lib/text/json-of.js'
import { type Compaction, parseCompaction } from './codex.js'
import { checkpointOfGrok, summaryOfGrok } from './grok.js'
import { compactionOfKimi } from './kimi.js'

const blockBytes = 256 * 1024
/** Maximum distance from the end of a rollout. */
const maxBytes = 16 * 1024 * 1024
const newline = 10
const mark = /"(?:compacted|compaction_checkpoint|context\.apply_compaction)"/u

/**
 * Reads the summary of the last compaction from the end of a log, since the hooks of Codex, Grok Build and
 * Kimi Code do not contain it. Grok Build has it in a file beside the log. Errors of opening the log are
 * thrown.
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
      if (found) return 'file' in found ? await besideLog(file, found) : found
      tail = first > 0 ? data.subarray(0, first) : start === 0 ? Buffer.alloc(0) : data
    }
    return undefined
  } finally {
    await handle.close()
  }
}

/** The summary, or the name of the file that has it. */
function lastIn(data: Buffer): Compaction | { file: string; at: string | null } | undefined {
  for (const line of data.toString('utf8').split('\n').reverse()) {
    const value = mark.test(line) ? parsed(line) : undefined
    const found = value && (parseCompaction(value) ?? checkpointOfGrok(value) ?? compactionOfKimi(value))
    if (found) return found
  }
  return undefined
}

async function besideLog(
  log: string,
  { file, at }: { file: string; at: string | null },
): Promise<Compaction> {
  const handle = await openForeign(join(dirname(log), file)).catch(() => undefined)
  try {
    const { size = 0 } = (await handle?.stat()) ?? {}
    if (!handle || size > maxBytes) return { summary: undefined, at }
    return { summary: summaryOfGrok(jsonOf(await handle.readFile('utf8'))), at }
  } finally {
    await handle?.close()
  }
}

function parsed(line: string): object | undefined {
  const value = jsonOf(line)
  return isRecord(value) ? value : undefined
}
