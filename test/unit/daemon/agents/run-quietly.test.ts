import test from 'ava'
import { pino } from 'pino'
import { runQuietly } from '../../../../src/daemon/agents/programs/run-quietly.js'
import { workspacePaths } from '../../../../src/lib/workspace/paths.js'
import { temporaryFolder } from '../../../helpers/temporary-folder.js'

async function outputOf(t: Parameters<typeof temporaryFolder>[0], text: string): Promise<string> {
  const root = temporaryFolder(t)
  const deps = { paths: workspacePaths(root), log: pino({ level: 'silent' }), environment: process.env }
  const command = [process.execPath, '-e', `process.stdout.write(${JSON.stringify(text)})`] as const
  const { signal } = new AbortController()
  return (await runQuietly(deps, { command, cwd: root, timeoutMs: 60_000, signal })).output
}

test('frames around lines are removed', async t => {
  t.is(
    await outputOf(
      t,
      '\u250c\u2500\u2500\u2510\n\u2502 done \u2502\n\u2502  two  \u2500\u2500 \n\u2514\u2500\u2500\u2518\n',
    ),
    'done\ntwo',
  )
})

test('a line of blanks or of pieces of frames is read in no time', async t => {
  for (const part of [' ', '\u2500', ' \u2500', '\t']) {
    const text = `x${part.repeat(8000)}y\n`
    const startedAt = process.cpuUsage()
    t.regex(await outputOf(t, text), /^x/u)
    t.true(process.cpuUsage(startedAt).user < 2_000_000, JSON.stringify(part))
  }
})
