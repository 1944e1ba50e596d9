import { renameSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { runImport } from '../../../../../src/daemon/knowledge/transcript-import/work/run-import.js'
import { LoopBudget } from '../../../../../src/lib/concurrency/loop-budget.js'
import { startDaemon } from '../../../../helpers/daemon.js'
import { until } from '../../../../helpers/daemon-process.js'
import { beginImport, exportedLine, sealFile } from '../../../../helpers/transcript-imports.js'

const none = new AbortController().signal

/** An import of two batches that waits for its worker, and its state. */
async function queueImport(t: ExecutionContext) {
  const running = await startDaemon(t)
  const jobId = await beginImport(running)
  const lines = Array.from({ length: 30 }, (_, n) => exportedLine(`s${n}`, ['where is the crane', 'there']))
  await sealFile(running, { jobId, bytes: Buffer.from(lines.join('\n')) })
  await running.daemon.store.tables.imports.move(jobId, ['staging'], { state: 'queued' })
  const now = async () => (await running.call('GET /api/sources/imports/:jobId', { params: { jobId } })).body
  return { ...running, jobId, now, deps: { ...running.daemon, budget: new LoopBudget() } }
}

test('an import reports its first failure, even if the index fails afterwards', async t => {
  const { daemon, jobId, now, deps: usual } = await queueImport(t)
  let callCount = 0
  const deps = {
    ...usual,
    capturing: async <T>(work: () => Promise<T>) => {
      // The first call settles bodies of an earlier attempt.
      if (++callCount === 3) throw new Error('the second batch')
      return work()
    },
    transcriptIndex: { ...daemon.transcriptIndex, update: () => Promise.reject(new Error('the index')) },
  }
  await t.throwsAsync(runImport(deps, jobId, none), { message: 'the second batch' })
  t.like(await now(), { state: 'interrupted', imported: 25, pending: 5 })
})

test('an import fails after five attempts without progress, and a retry resumes it', async t => {
  const { call, jobId, now, deps, paths } = await queueImport(t)
  const folder = join(paths.imports, jobId)
  renameSync(folder, `${folder}-away`)
  for (let attempt = 1; attempt < 5; attempt++) {
    await t.throwsAsync(runImport(deps, jobId, none), { code: 'ENOENT' })
    t.like(await now(), { state: 'interrupted', error: 'a file of the import is gone from the disk' })
  }
  await t.notThrowsAsync(runImport(deps, jobId, none))
  t.like(await now(), { state: 'failed', total: 0, pending: 0 })
  renameSync(`${folder}-away`, folder)
  const { body } = await call('POST /api/sources/imports/:jobId/retry', { params: { jobId } })
  t.like(body, { changed: true, state: 'queued', error: null })
  t.like(await until(async () => ((await now()).state === 'completed' ? now() : undefined)), { imported: 30 })
})

test('frozen writes interrupt an import between batches without a failed attempt', async t => {
  const { jobId, now, deps } = await queueImport(t)
  const { settings } = deps.configuration()
  const pipelineV2 = { ...settings.memory.pipelineV2, mutationsFrozen: true }
  const frozen = { ...settings, memory: { ...settings.memory, pipelineV2 } }
  let isFrozen = false
  const freezing = {
    ...deps,
    configuration: () => (isFrozen ? { ...deps.configuration(), settings: frozen } : deps.configuration()),
    capturing: async <T>(work: () => Promise<T>) => {
      const done = await work()
      isFrozen = (await now()).imported > 0
      return done
    },
  }
  for (let attempt = 0; attempt < 6; attempt++) {
    await t.throwsAsync(runImport(freezing, jobId, none), { code: 'mutations_frozen' })
    t.like(await now(), { state: 'interrupted', imported: 25, pending: 5 })
  }
  await runImport(deps, jobId, none)
  t.like(await now(), { state: 'completed', imported: 30, pending: 0, messages: 60 })
})
