import test from 'ava'
import { checkInference } from '../../../../../src/cli/operations/doctor/inference-check.js'
import type { Reply } from '../../../../../src/contract/api.js'
import { doctorContext, fakeCall } from './doctor-fakes.js'

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
  test(`of the model: ${title}`, async t => {
    const call = fakeCall({ 'GET /api/inference/status': () => status })
    t.like(await checkInference(await doctorContext(t, { call })), outcome)
  })
