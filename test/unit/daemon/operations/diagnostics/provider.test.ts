import test from 'ava'
import type { Reply } from '../../../../../src/contract/api.js'
import {
  embeddingFinding,
  inferenceFinding,
} from '../../../../../src/daemon/operations/diagnostics/domains/provider.js'
import type { EmbedderStatus } from '../../../../../src/store/embedding/embedder.js'

type Status = Partial<Reply<'GET /api/inference/status'>>

const use = { use: 'reranking', enabled: true, maxTokensPerDay: 100, today: { countedTokens: 5 } } as never
const spent = {
  use: 'reranking',
  enabled: true,
  maxTokensPerDay: 100,
  today: { countedTokens: 100 },
} as never
const named: Status = { provider: 'openai', model: 'm', uses: [] }
const key = 'inference.apiKey names a secret that is not set'

const cases: readonly [string, Status, object][] = [
  [
    'no provider needs no action',
    { ...named, provider: 'none', model: null, state: 'off' },
    { severity: 'ok' },
  ],
  [
    'a key that is missing is a warning with its command',
    { ...named, state: 'incomplete', error: key },
    { severity: 'warning', fix: 'memory secrets set NAME, then memory config set inference.apiKey NAME' },
  ],
  [
    'a model that is not named is a warning with its command',
    { ...named, model: null, state: 'incomplete', error: 'inference.model is not set' },
    { severity: 'warning', fix: 'memory config set inference.model VALUE' },
  ],
  [
    'a provider that is not asked for a while is a warning with its error',
    { ...named, state: 'failing', error: 'http://x answered 500' },
    { severity: 'warning', evidence: 'openai m: http://x answered 500; it is not asked for a while' },
  ],
  [
    'spent tokens are worth knowing',
    { ...named, state: 'ready', uses: [spent] },
    { severity: 'info', evidence: 'openai m: the 100 tokens of today for reranking are spent' },
  ],
  [
    'a provider that answers is told with what it is asked for',
    { ...named, state: 'ready', uses: [use] },
    { severity: 'ok', evidence: 'openai m, asked for reranking' },
  ],
  [
    'a provider that nothing asks is told as such',
    { ...named, state: 'ready' },
    { severity: 'ok', evidence: 'openai m, nothing asks it: no use is switched on' },
  ],
]
for (const [title, status, outcome] of cases)
  test(`of the model: ${title}`, t => {
    t.like(inferenceFinding({ ...named, ...status } as never), outcome)
  })

const embedder: EmbedderStatus = {
  provider: 'local',
  model: 'mini',
  dimensions: 384,
  available: false,
  state: 'missing',
  checkedAt: '',
}
const look = (fields: Partial<EmbedderStatus>, isNamed = false) =>
  embeddingFinding({ ...embedder, ...fields }, { isNamed })

test('a model that nobody asked for may be missing: recall works by words', t => {
  const outcome = look({})
  t.like(outcome, { severity: 'info', fix: 'memory embedding pull' })
  t.regex(outcome.evidence, /words only/)
})

test('a missing model is a warning where the settings name one', t => {
  t.like(look({}, true), { severity: 'warning', fix: 'memory embedding pull' })
})

test('a provider that fails is a warning with its error', t => {
  const outcome = look({ state: 'failing', error: 'connect ECONNREFUSED' })
  t.like(outcome, { severity: 'warning', fix: 'memory embedding status' })
  t.regex(outcome.evidence, /ECONNREFUSED/)
})

test('a provider that is off by choice or on its way needs no action', t => {
  t.is(look({ state: 'off' }).severity, 'info')
  const progress = { loadedBytes: 3 * 1024 ** 2, totalBytes: null, file: 'model.onnx' }
  const loading = look({ state: 'downloading', progress })
  t.is(loading.severity, 'info')
  t.regex(loading.evidence, /3\.0 MiB so far/)
})
