import test from 'ava'
import { downloadFiles } from '../../../../src/lib/workspace/model-folder.js'
import { pinnedModels } from '../../../../src/store/embedding/download.js'
import { openEmbedder, startHubFake, whenStatus } from '../../../helpers/embedding-fakes.js'
import { temporaryFolder } from '../../../helpers/temporary-folder.js'

const model = 'Xenova/all-MiniLM-L6-v2'

test('every file of the best-known model is pinned', t => {
  const pinned = pinnedModels[model]
  t.regex(pinned?.revision ?? '', /^[0-9a-f]{40}$/)
  for (const file of downloadFiles) t.regex(pinned?.files[file] ?? '', /^[0-9a-f]{64}$/, file)
})

test('other bytes of a pinned model are refused, although the hub vouches for them', async t => {
  const server = await startHubFake(t, model, {})
  const embedder = openEmbedder(t, {
    modelsDir: temporaryFolder(t),
    allowDownload: true,
    remoteHost: server.url,
    downloadRetryMs: 600_000,
    settings: { model },
  })
  embedder.warm()
  const { error } = await whenStatus(embedder, ({ state }) => state === 'missing')
  t.regex(error ?? '', /config\.json arrived damaged/)
  t.true(server.requests.every(({ path }) => !path.includes('/resolve/main/')))
})
