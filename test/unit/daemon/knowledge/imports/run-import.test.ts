import test from 'ava'
import { runImport } from '../../../../../src/daemon/knowledge/imports/work/run-import.js'
import { LoopBudget } from '../../../../../src/lib/loop-budget.js'
import { startDaemon } from '../../../../helpers/daemon.js'
import { beginImport, exportedLine, sealFile } from '../../../../helpers/transcript-imports.js'

test('an import is interrupted by what failed first, also where the index fails after it', async t => {
  const running = await startDaemon(t)
  const { daemon } = running
  const jobId = await beginImport(running)
  // Two batches.
  const lines = Array.from({ length: 30 }, (_, n) => exportedLine(`s${n}`, ['where is the crane', 'there']))
  await sealFile(running, { jobId, bytes: Buffer.from(lines.join('\n')) })
  await daemon.store.tables.imports.move(jobId, ['staging'], { state: 'queued' })
  const calls = { count: 0 }
  const deps = {
    ...daemon,
    budget: new LoopBudget(),
    capturing: async <T>(work: () => Promise<T>) => {
      // The first one settles what an attempt before left.
      if (++calls.count === 3) throw new Error('the second batch')
      return work()
    },
    transcriptIndex: { ...daemon.transcriptIndex, update: () => Promise.reject(new Error('the index')) },
  }
  await t.throwsAsync(runImport(deps, jobId, new AbortController().signal), { message: 'the second batch' })
  const { body } = await running.call('GET /api/sources/imports/:jobId', { params: { jobId } })
  t.like(body, { state: 'interrupted', imported: 25, pending: 5 })
})
