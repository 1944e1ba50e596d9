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
    'a missing key is a warning with its command',
    { ...named, state: 'incomplete', error: key },
    { severity: 'warning', fix: 'memory secrets set NAME, then memory config set inference.apiKey NAME' },
  ],
  [
    'a missing model name is a warning with its command',
    { ...named, model: null, state: 'incomplete', error: 'inference.model is not set' },
    { severity: 'warning', fix: 'memory config set inference.model VALUE' },
  ],
  [
    'a paused provider is a warning with its error',
    { ...named, state: 'failing', error: 'http://x answered 500' },
    { severity: 'warning', evidence: 'openai m: http://x answered 500; requests are paused for a while' },
  ],
  [
    'a used up daily limit is reported as info',
    { ...named, state: 'ready', uses: [spent] },
    { severity: 'info', evidence: 'openai m: the daily limit of 100 tokens for reranking is used up' },
  ],
  [
    'a working provider is reported with its uses',
    { ...named, state: 'ready', uses: [use] },
    { severity: 'ok', evidence: 'openai m, used for reranking' },
  ],
  [
    'an unused provider is reported as unused',
    { ...named, state: 'ready' },
    { severity: 'ok', evidence: 'openai m, not used: every use is disabled' },
  ],
]
for (const [title, status, outcome] of cases)
  test(`model status: ${title}`, t => {
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

test('an unconfigured embedding model may be missing, because recall works with words', t => {
  const outcome = look({})
  t.like(outcome, { severity: 'info', fix: 'memory embedding pull' })
  t.regex(outcome.evidence, /words only/)
})

test('a missing embedding model is a warning if the settings name one', t => {
  t.like(look({}, true), { severity: 'warning', fix: 'memory embedding pull' })
})

test('a failing provider is a warning with its error', t => {
  const outcome = look({ state: 'failing', error: 'connect ECONNREFUSED' })
  t.like(outcome, { severity: 'warning', fix: 'memory embedding status' })
  t.regex(outcome.evidence, /ECONNREFUSED/)
})

test('a provider that is disabled or still loading needs no action', t => {
  t.is(look({ state: 'off' }).severity, 'info')
  const progress = { loadedBytes: 3 * 1024 ** 2, totalBytes: null, file: 'model.onnx' }
  const loading = look({ state: 'downloading', progress })
  t.is(loading.severity, 'info')
  t.regex(loading.evidence, /3\.0 MiB so far/)
})
