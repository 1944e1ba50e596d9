import test from 'ava'
import { startDaemon } from '../helpers/daemon.js'
import { storeEntities } from '../helpers/entities.js'
import { submitPrompt } from '../helpers/hooks.js'

test('a prompt of 100,000 characters is fully searched for 50,000 entities (rules.md 4.10)', async t => {
  const daemon = await startDaemon(t, { environment: { SERVICE_PROMPT_SUBMIT_TIMEOUT: '120000' } })
  const entities = Array.from({ length: 50_000 }, (_, n) => ({ name: `word${n % 3000} thing ${n}` }))
  storeEntities(t, daemon, [
    ...entities,
    { name: 'Needle In It', attributes: [{ content: 'found', score: 1 }] },
  ])
  const prompt = `${Array.from({ length: 12_000 }, (_, n) => `word${n % 5000}`).join(' ')} needle in it`
  t.true(prompt.length > 100_000)
  const { body } = await submitPrompt(daemon, prompt)
  t.is(body.memoryCount, 1)
})
