import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { downloadFiles } from '../../../../src/lib/workspace/model-folder.js'
import type { EmbedderStatus } from '../../../../src/store/embedding/embedder.js'
import {
  type HubOptions,
  openEmbedder,
  startHubFake,
  tinyModelFolder,
  until,
  whenStatus,
} from '../../../helpers/embedding-fakes.js'
import { temporaryFolder } from '../../../helpers/temporary-folder.js'

const model = 'owner/tiny-model'
const weights = 'onnx/model_quantized.onnx'

async function openDownloading(t: ExecutionContext, hub: HubOptions = {}, options = {}) {
  const server = await startHubFake(t, model, hub)
  const modelsDir = temporaryFolder(t)
  const embedder = openEmbedder(t, {
    modelsDir,
    allowDownload: true,
    remoteHost: server.url,
    downloadRetryMs: 600_000,
    settings: { model },
    ...options,
  })
  return { server, embedder, modelsDir, folder: join(modelsDir, 'owner', 'tiny-model') }
}

const isState = (state: string) => (status: EmbedderStatus) => status.state === state

test('the first call downloads the model in the background, and later calls use it', async t => {
  const { embedder, folder, modelsDir } = await openDownloading(t)
  await t.throwsAsync(embedder.embed(['hello'], { kind: 'query' }))
  t.like(embedder.status(), { state: 'downloading', available: false })
  await whenStatus(embedder, isState('ready'))
  for (const file of downloadFiles) {
    t.deepEqual(await readFile(join(folder, file)), await readFile(join(tinyModelFolder, file)))
  }
  t.deepEqual(await readdir(join(modelsDir, '.partial', 'owner')), [])
  const [vector] = await embedder.embed(['hello'], { kind: 'query', deadlineMs: 60_000 })
  t.is(vector?.length, 128)
})

test('progress covers the bytes of all files', async t => {
  const { embedder } = await openDownloading(t, { stall: path => path === weights })
  embedder.warm()
  await until(() => embedder.status().progress?.file === weights)
  const half = embedder.status()
  const sizes = await Promise.all(
    downloadFiles.map(async file => (await readFile(join(tinyModelFolder, file))).length),
  )
  t.is(
    half.progress?.totalBytes,
    sizes.reduce((sum, size) => sum + size),
  )
  t.true(half.progress!.loadedBytes > 0 && half.progress!.loadedBytes < half.progress!.totalBytes!)
})

test('without permission nothing is downloaded until a pull is requested', async t => {
  const { server, embedder } = await openDownloading(t, {}, { allowDownload: false })
  await t.throwsAsync(embedder.embed(['hello'], { kind: 'query' }), { message: /`memory embedding pull`/ })
  embedder.warm()
  t.is(embedder.status().state, 'missing')
  t.is(server.requests.length, 0)
  embedder.pull()
  t.is(embedder.status().state, 'downloading')
  await whenStatus(embedder, isState('ready'))
})

test('an interrupted download is not a model', async t => {
  const { embedder, folder } = await openDownloading(t, { truncate: path => path === weights })
  embedder.warm()
  const { error } = await whenStatus(embedder, isState('missing'))
  t.regex(error ?? '', /onnx\/model_quantized\.onnx was interrupted; .*`memory embedding pull`/)
  t.false(existsSync(folder))
})

test('the next download resumes where the last one stopped', async t => {
  const first = await openDownloading(t, { stall: path => path === weights })
  first.embedder.warm()
  await until(() => first.embedder.status().progress?.file === weights)
  await first.embedder.close()

  const { server, embedder } = await openDownloading(t, {}, { modelsDir: first.modelsDir })
  embedder.pull()
  await whenStatus(embedder, isState('ready'))
  t.deepEqual(await readFile(join(first.folder, weights)), await readFile(join(tinyModelFolder, weights)))
  const fetched = server.requests.filter(({ method }) => method === 'GET')
  t.true(fetched.length > 0)
  for (const { path, headers } of fetched) {
    t.true(path.endsWith(weights))
    t.regex(headers.range ?? '', /^bytes=[1-9]\d*-$/)
  }
})

test('damaged weights are deleted', async t => {
  let corrupt = true
  const { embedder, folder } = await openDownloading(t, { corrupt: () => corrupt })
  embedder.warm()
  const { error } = await whenStatus(embedder, isState('missing'))
  t.regex(error ?? '', /damaged/)
  t.false(existsSync(folder))
  corrupt = false
  embedder.pull()
  await whenStatus(embedder, isState('ready'))
})

test('a model missing on the server is reported by name', async t => {
  const { embedder } = await openDownloading(t, { fail: () => 404 })
  embedder.warm()
  const { error } = await whenStatus(embedder, isState('missing'))
  t.regex(error ?? '', /answered 404 for config\.json: is there a model "owner\/tiny-model"/)
})

test('an unreachable model server is reported', async t => {
  const { embedder } = await openDownloading(t, {}, { remoteHost: 'http://127.0.0.1:1' })
  embedder.warm()
  const { error } = await whenStatus(embedder, isState('missing'))
  t.regex(error ?? '', /http:\/\/127\.0\.0\.1:1 can't be reached/)
})

test('a stalled download is aborted', async t => {
  const { embedder } = await openDownloading(
    t,
    { stall: path => path === 'tokenizer.json' },
    { downloadStallMs: 50 },
  )
  embedder.warm()
  const { error } = await whenStatus(embedder, isState('missing'))
  t.regex(error ?? '', /no data for 50 ms/)
})

test('a failed download is retried after its pause, not before', async t => {
  let failing = true
  const hub = { fail: () => (failing ? 503 : undefined) }
  const patientOne = await openDownloading(t, hub)
  patientOne.embedder.warm()
  await whenStatus(patientOne.embedder, isState('missing'))
  const asked = patientOne.server.requests.length
  patientOne.embedder.warm()
  await t.throwsAsync(patientOne.embedder.embed(['hello'], { kind: 'query' }))
  t.is(patientOne.server.requests.length, asked)

  const { embedder } = await openDownloading(t, hub, { downloadRetryMs: 1 })
  embedder.warm()
  await whenStatus(embedder, isState('missing'))
  failing = false
  await whenStatus(embedder, isState('ready'))
  t.pass()
})

test('closing aborts a download', async t => {
  const { embedder, folder } = await openDownloading(t, { stall: path => path === weights })
  embedder.warm()
  await whenStatus(embedder, isState('downloading'))
  await embedder.close()
  t.false(existsSync(folder))
})

test('a name that could leave the models folder is never downloaded', async t => {
  const { server, embedder } = await openDownloading(t, {}, { settings: { model: '../../etc' } })
  embedder.pull()
  t.is(embedder.status().state, 'missing')
  t.is(server.requests.length, 0)
})

test('a complete but unverified part does not block the next download', async t => {
  const { embedder, modelsDir, folder } = await openDownloading(t)
  const part = join(modelsDir, '.partial', 'owner', 'tiny-model', `${weights}.part`)
  const content = await readFile(join(tinyModelFolder, weights))
  await mkdir(dirname(part), { recursive: true })
  await writeFile(part, content)
  await writeFile(`${part}.etag`, `"${createHash('sha256').update(content).digest('hex')}"`)
  embedder.pull()
  await whenStatus(embedder, isState('missing'))
  embedder.pull()
  await whenStatus(embedder, isState('ready'))
  t.deepEqual(await readFile(join(folder, weights)), content)
})
