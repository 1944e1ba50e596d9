import { setTimeout as delay } from 'node:timers/promises'
import test from 'ava'
import { cpuMsOfTurns } from '../helpers/cpu-time.js'
import { startDaemon } from '../helpers/daemon.js'
import { settledDocument } from '../helpers/read-documents.js'

/** Ten megabytes of natural structure: sections of a few paragraphs. */
function longText(): string {
  const parts: string[] = []
  for (let n = 0; parts.length * 500 < 10_000_000; n++)
    parts.push(
      `## Section ${n}\n\n${`Crane ${n} lifts container number ${n * 7} at the harbour. `.repeat(9)}`,
    )
  return parts.join('\n\n').slice(0, 10_000_000)
}

test.serial('reading a document of 10 MB blocks neither the event loop nor saves', async t => {
  const daemon = await startDaemon(t)
  const { body } = await daemon.call('POST /api/documents', {
    body: { source_type: 'text', content: longText() },
  })
  const saves: number[] = []
  let done = false
  const saving = (async () => {
    while (!done) {
      const started = performance.now()
      await daemon.remember(`a save beside it, number ${saves.length}`)
      saves.push(performance.now() - started)
      await delay(40)
    }
  })()
  const turns = await cpuMsOfTurns(settledDocument(daemon, body.id))
  done = true
  await saving
  const document = await settledDocument(daemon, body.id)
  t.is(document.status, 'done', document.error ?? '')
  saves.sort((a, b) => a - b)
  t.log(
    `${document.chunk_count} chunks, turns ${turns.slice(-5).map(ms => ms.toFixed(0))} ms`,
    document.timings,
  )
  t.log(
    `${saves.length} saves, p50 ${saves[saves.length >> 1]?.toFixed(1)} ms, max ${saves.at(-1)?.toFixed(0)} ms`,
  )
  // Threads that copy the log and collect garbage also count as processor time, so a few of a thousand turns
  // look long.
  const p99 = turns[Math.floor(turns.length * 0.99)] ?? 0
  t.true(p99 < 50, `${p99} ms`)
  t.true((turns.at(-1) ?? 0) < 250, `${turns.at(-1)} ms`)
  t.true(saves.length > 20)
  const { body: listed } = await daemon.call('GET /api/documents/:id/chunks', { params: { id: body.id } })
  t.is(listed.count, document.chunk_count)
  t.true(
    listed.chunks.every((chunk: { chunk_index: number }, position: number) => chunk.chunk_index === position),
  )
})
