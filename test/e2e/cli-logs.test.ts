import test from 'ava'
import { runCli, startCli } from '../helpers/cli.js'
import { until } from '../helpers/daemon-process.js'

test('memory logs shows the daemon’s log and follows it', async t => {
  await runCli(t, ['remember', 'the port is 8080'])
  const shown = await runCli(t, ['logs'])
  t.regex(shown.stdout, /^\S+Z info {2}daemon listening$/mu)
  const told = (await runCli(t, ['logs', '--level', 'error', '--json'])).json()
  t.deepEqual(told, { logs: [], count: 0 })
  const following = startCli(t, ['logs', '-f', '--json'])
  const lines: string[] = []
  following.stdout?.on('data', chunk => lines.push(String(chunk)))
  await until(() => lines.join('').includes('"listening"'))
  following.kill('SIGINT')
  t.is((await following).exitCode, 0)
})
