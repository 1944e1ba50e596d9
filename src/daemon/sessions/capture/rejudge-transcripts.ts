import type { ChunkToIndex } from '../../../store/tables/sessions/transcript-chunks.js'
import type { TranscriptRow } from '../../../store/tables/sessions/transcripts.js'
import { loadChunk } from '../../ground/index/transcript-entries.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { policyVersion, verdictColumns } from '../../safety/verdict-columns.js'
import { type JudgedChunk, judgeChunks, type Verdict } from './judge-chunks.js'
import { putChunks } from './stage-capture.js'

const pageSize = 100

type Deps = Pick<Daemon, 'store' | 'budget' | 'transcriptIndex' | 'clock' | 'log'>

/**
 * Rescans transcripts judged with another version of the content safety policy (rules.md 1.6). The version in
 * each row marks progress. No capture may run during the call.
 * @throws the reason of the signal
 */
export async function rejudgeTranscripts(deps: Deps, signal: AbortSignal): Promise<void> {
  const { transcripts } = deps.store.tables
  let scanned = 0
  for (
    let row = await transcripts.outdated(policyVersion);
    row;
    row = await transcripts.outdated(policyVersion)
  ) {
    await rejudge(deps, row, signal)
    scanned++
  }
  if (scanned > 0)
    deps.log.info({ scanned, policy: policyVersion }, 'transcripts rescanned for the current safety policy')
}

async function rejudge(deps: Deps, row: TranscriptRow, signal: AbortSignal): Promise<void> {
  const { transcriptChunks, transcripts } = deps.store.tables
  const verdict: Verdict = { status: 'clean', reasons: new Set() }
  for (let from = 0; ; ) {
    signal.throwIfAborted()
    const page = await transcriptChunks.of(row.body_id, { from }, pageSize)
    const last = page.at(-1)
    if (!last) break
    const shown = page.filter(({ last_position }) => last_position < row.messages)
    await rejudgePage(deps, shown, verdict)
    await deps.transcriptIndex.update(row.body_id, { from, to: last.chunk + 1 })
    from = last.chunk + 1
  }
  await transcripts.judge(row, verdictColumns(verdict, deps.clock().toISOString()))
}

async function rejudgePage(deps: Deps, page: readonly ChunkToIndex[], verdict: Verdict): Promise<void> {
  const chunks = []
  for (const row of page) {
    chunks.push({ ...row, text: (await loadChunk(deps.store, row)).text })
    await deps.budget.breathe()
  }
  const judged = await judgeChunks(deps, chunks, verdict)
  const changed = judged.flatMap((chunk, at) => {
    const row = page[at] as ChunkToIndex
    return chunk.safety_status === row.safety_status ? [] : [{ row, chunk }]
  })
  if (changed.length > 0) await put(deps, changed)
}

async function put(
  { store }: Deps,
  changed: readonly { row: ChunkToIndex; chunk: JudgedChunk }[],
): Promise<void> {
  await store.write({ until: 'committed' }, tables =>
    putChunks(
      tables,
      changed.map(({ row, chunk }) => ({
        body_id: row.body_id,
        chunk: row.chunk,
        first_position: row.first_position,
        first_offset: row.first_offset,
        last_position: row.last_position,
        last_end: row.last_end,
        removed: row.removed,
        safety_status: chunk.safety_status,
      })),
    ),
  )
}
