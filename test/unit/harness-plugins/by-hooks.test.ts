import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import test, { type ExecutionContext } from 'ava'
import { execa } from 'execa'
import { packageFile } from '../../../src/lib/files/package-root.js'
import { temporaryFolder } from '../../helpers/temporary-folder.js'

/** Our plugin as connected to an agent, with a program in place of ours that notes how it is called. */
function installed(t: ExecutionContext, harness: string) {
  const folder = temporaryFolder(t, 'plugin')
  const log = join(folder, 'calls.jsonl')
  const program = join(folder, 'program.mjs')
  writeFileSync(
    program,
    `import { appendFileSync, readFileSync } from 'node:fs'
     const input = JSON.parse(readFileSync(0, 'utf8'))
     appendFileSync(${JSON.stringify(log)}, JSON.stringify({ hook: process.argv[3], input }) + '\\n')
     console.log('known to ' + process.argv[3])`,
  )
  const source = readFileSync(packageFile('src/harness-plugins/by-hooks.js'), 'utf8')
  const words = { harness, version: '1', workspace: '', command: [process.execPath, program] }
  const file = join(folder, 'plugin.mjs')
  writeFileSync(
    file,
    source.replace(/^const installed = .*$/mu, `const installed = ${JSON.stringify(words)}`),
  )
  const calls = () =>
    readFileSync(log, 'utf8')
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
  return { file, calls }
}

type Handler = (event: object, ctx: object) => Promise<unknown>

test('OpenClaw gets the context of a start in each process, since it stores none', async t => {
  const { file, calls } = installed(t, 'openclaw')
  const { default: plugin } = await import(pathToFileURL(file).href)
  const handlers = new Map<string, Handler>()
  plugin.register({ on: (event: string, handler: Handler) => handlers.set(event, handler) })
  const ctx = { sessionId: 's-1', workspaceDir: '/work/api', trigger: 'user' }
  const prompt = () => handlers.get('before_prompt_build')?.({ currentUserMessage: 'why' }, ctx)
  const given = {
    prependSystemContext: 'known to session-start',
    prependContext: 'known to user-prompt-submit',
  }
  t.deepEqual(await prompt(), given)
  t.deepEqual(await prompt(), given)
  const [start, ...prompts] = calls()
  t.like(start, { hook: 'session-start', input: { session_id: 's-1', cwd: '/work/api', source: 'clear' } })
  t.deepEqual(
    prompts.map(({ hook }) => hook),
    ['user-prompt-submit', 'user-prompt-submit'],
  )
})

test('the file for Cline passes on its input, and never fails', async t => {
  const { file, calls } = installed(t, 'cline')
  const told = { hookName: 'agent_end', sessionContext: { rootSessionId: 's-1' } }
  t.is((await execa('node', [file], { input: JSON.stringify(told) })).stdout, '')
  t.deepEqual(calls(), [{ hook: 'session-checkpoint-extract', input: told }])
  t.is((await execa('node', [file], { input: 'no JSON' })).exitCode, 0)
})
