// runs: alone

import test from 'ava'
import type { WeightFormat } from '../../../../src/lib/workspace/model-folder.js'
import {
  createLocalWorker,
  defaultWorkerUrl,
  type LocalWorkerOptions,
} from '../../../../src/store/embedding/local-worker.js'
import { ProviderError } from '../../../../src/store/embedding/provider.js'
import { tinyModelFolder, until } from '../../../helpers/embedding-fakes.js'

const hangingWorker = new URL('./hanging-worker.js', import.meta.url)

function options(given: Partial<LocalWorkerOptions> = {}): LocalWorkerOptions {
  return {
    setup: { folder: tinyModelFolder, format: 'q8', pooling: 'mean', runtimeDir: 'none' },
    url: defaultWorkerUrl(),
    idleUnloadMs: 60_000,
    onChange: () => undefined,
    ...given,
  }
}

test.serial(
  'the thread starts with the first call, ends when idle and restarts with the next call',
  async t => {
    const states: string[] = []
    const worker = createLocalWorker(
      options({ idleUnloadMs: 1, onChange: () => states.push(worker.state()) }),
    )
    t.is(worker.state(), 'unloaded')
    const [first] = await worker.embed(['hello'])
    await until(() => worker.state() === 'unloaded')
    t.deepEqual(states, ['loading', 'loaded', 'unloaded'])
    const [second] = await worker.embed(['hello'])
    t.deepEqual(first, second)
    await worker.close()
    t.is(worker.state(), 'unloaded')
  },
)

test.serial('concurrent calls get their own answers', async t => {
  const worker = createLocalWorker(options())
  const [together, alone] = await Promise.all([worker.embed(['hello', 'world']), worker.embed(['world'])])
  t.deepEqual(together[1], alone[0])
  t.notDeepEqual(together[0], alone[0])
  await worker.close()
})

test.serial(
  'a model that does not answer in time is terminated, and the next call gets a new thread',
  async t => {
    const worker = createLocalWorker(options({ url: hangingWorker, callTimeoutMs: 20 }))
    const failure = { instanceOf: ProviderError, message: 'the model did not answer within 20 ms' }
    await t.throwsAsync(worker.embed(['hello']), failure)
    t.is(worker.state(), 'unloaded')
    await t.throwsAsync(worker.embed(['hello']), failure)
  },
)

test.serial('a model that does not load in time is terminated', async t => {
  const setup = { ...options().setup, format: 'never loads' as WeightFormat }
  const worker = createLocalWorker(options({ url: hangingWorker, setup, loadTimeoutMs: 300 }))
  const call = worker.embed(['hello'])
  const keepAlive = setTimeout(() => undefined, 60_000)
  await t.throwsAsync(call, { message: 'the model did not load within 300 ms' })
  clearTimeout(keepAlive)
})

test.serial('a thread that cannot start fails its call', async t => {
  const worker = createLocalWorker(options({ url: new URL('./no-such-worker.js', import.meta.url) }))
  await t.throwsAsync(worker.embed(['hello']), { instanceOf: ProviderError, message: /thread broke/ })
})
