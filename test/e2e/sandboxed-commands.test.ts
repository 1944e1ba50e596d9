import test from 'ava'
import { cliWorkspace, registeredPid, runCli } from '../helpers/cli.js'

test('without a network in its sandbox, a command names the MCP tools and starts no daemon', async t => {
  const result = await runCli(t, ['recall', 'tea'], { env: { CODEX_SANDBOX_NETWORK_DISABLED: '1' } })
  t.not(result.code, 0)
  t.regex(result.stderr, /this sandbox has no network/)
  t.regex(result.stderr, /memory_search and memory_store/)
  t.is(registeredPid(cliWorkspace(t)), undefined)
})
