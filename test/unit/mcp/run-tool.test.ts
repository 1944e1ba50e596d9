import test from 'ava'
import { z } from 'zod'
import { ClientError } from '../../../src/client/http/client-error.js'
import { callOver, toolTimeoutMs } from '../../../src/mcp/call-over.js'
import { runTool } from '../../../src/mcp/run-tool.js'
import { type Call, tool } from '../../../src/mcp/tool/tool.js'

const noCall: Call = async () => {
  throw new Error('not called')
}
const toolThat = (run: () => Promise<never>) =>
  tool({
    name: 'probe',
    title: 'Probe',
    description: 'fails in a given way',
    tier: 'extra',
    effect: 'reads',
    input: z.object({ count: z.int().min(1) }),
    output: z.object({}),
    run,
  })

test('wrong arguments are listed one by one', async t => {
  const result = await runTool(
    toolThat(async () => t.fail() as never),
    noCall,
    { count: 'many' },
  )
  t.false(result.ok)
  t.regex(result.text, /- count: .*number/)
})

test('an argument may use the name from replies, unless its own name is given too', async t => {
  const probe = tool({
    ...toolThat(async () => t.fail() as never),
    input: z.object({ session_key: z.string(), reviewAfter: z.string().optional() }),
    output: z.object({}).catchall(z.string()),
    run: async (_call, given) => ({ text: '', data: { ...given } }),
  })
  const given = async (args: Record<string, string>) => {
    const result = await runTool(probe, noCall, args)
    return result.ok ? result.data : result.text
  }
  t.deepEqual(await given({ sessionKey: 'a', review_after: 'b', other: 'c' }), {
    session_key: 'a',
    reviewAfter: 'b',
  })
  t.deepEqual(await given({ sessionKey: 'a', session_key: 'b' }), { session_key: 'b' })
})

for (const code of ['not_found', 'version_conflict', 'pinned_requires_force', 'mutations_frozen', 'timeout'])
  test(`a failure with code ${code} says what to do next`, async t => {
    const error = new ClientError('what happened', { code })
    const result = await runTool(
      toolThat(() => Promise.reject(error)),
      noCall,
      { count: 1 },
    )
    t.false(result.ok)
    const [first, next] = result.text.split('\n')
    t.is(first, `what happened (${code})`)
    t.true((next ?? '').length > 10)
  })

test('an unexpected error is reported without its stack', async t => {
  const result = await runTool(
    toolThat(() => Promise.reject(new TypeError('x is undefined'))),
    noCall,
    {
      count: 1,
    },
  )
  t.false(result.ok)
  t.notRegex(result.text, /at .*\.(?:ts|js)/)
  t.regex(result.text, /memory doctor/)
})

test('a request beyond its limit of 10 s times out (mcp.md 8)', async t => {
  t.is(toolTimeoutMs, 10_000)
  const call = callOver(() => new Promise(() => undefined), 20)
  await t.throwsAsync(call('GET /health'), { instanceOf: ClientError, message: /within 0.02 s/ })
})

test('a daemon that refuses requests is reported as stopping', async t => {
  const call = callOver(() => Promise.reject(new Error('closed')))
  const error = await t.throwsAsync(call('GET /health'), { instanceOf: ClientError })
  t.is(error?.code, 'daemon_unavailable')
})
