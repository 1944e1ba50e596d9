import { execFileSync } from 'node:child_process'
import { mkdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { previewText } from '../../src/cli/sessions/preview.js'
import { colorsFor } from '../../src/cli/terminal/output.js'
import { displayWidth } from '../../src/cli/terminal/text.js'
import { daemonHere, runHere } from '../helpers/commands-here.js'
import { storeEntities } from '../helpers/entities.js'
import { temporaryFolder } from '../helpers/temporary-folder.js'

const unhurried = ['--timeout', '60000']

async function startInShop(t: ExecutionContext) {
  const daemon = await daemonHere(t)
  const cwd = join(realpathSync(temporaryFolder(t, 'memory-service-cli-preview')), 'shop')
  mkdirSync(cwd)
  execFileSync('git', ['init', '-q', '-b', 'main', cwd])
  const run = (args: readonly string[], stdin?: string) =>
    runHere(t, args, { folder: cwd, ...(stdin !== undefined && { stdin }) })
  await run(['remember', 'never push to main on a Friday', '--type', 'rule'])
  for (let n = 0; n < 12; n++) await run(['remember', `trivia number ${n} and some more words about it`])
  return { daemon, run, cwd }
}

test('a piped preview is byte for byte what the hook command adds, with and without a prompt', async t => {
  const { daemon, run, cwd } = await startInShop(t)
  storeEntities(t, daemon, [{ name: 'Acme Corp', attributes: [{ content: 'is in Berlin', score: 0.9 }] }])
  for (const harness of ['claude-code', 'codex']) {
    const session = `s-${harness}`
    const hook = async (name: string, event: string, fields = {}) => {
      const input = { session_id: session, cwd, hook_event_name: event, ...fields }
      const { stdout } = await run(['hook', name, '-H', harness, ...unhurried], JSON.stringify(input))
      return JSON.parse(stdout).hookSpecificOutput.additionalContext as string
    }
    const preview = (...more: string[]) => run(['preview', '-H', harness, '--session', session, ...more])
    const start = await preview()
    t.is(start.stdout, await hook('session-start', 'SessionStart', { source: 'startup' }))
    t.regex(start.stdout, /never push to main/)
    const prompt = 'Where is Acme Corp?'
    const next = await preview('--prompt', prompt)
    const given = await hook('user-prompt-submit', 'UserPromptSubmit', { prompt })
    const withoutClock = (text: string) => text.replace(/^Current time: .*/u, '')
    t.is(withoutClock(next.stdout), withoutClock(given))
    t.regex(given, /is in Berlin/)
    const sub = await preview('--subagent')
    t.is(sub.stdout, await hook('subagent-start', 'SubagentStart', { agent_id: 'a1' }))
  }
})

test('a preview on a terminal has the reason beside each line, in 80 columns', async t => {
  const { run } = await startInShop(t)
  const { stdout } = await run(['preview', '--json'])
  const text = previewText(JSON.parse(stdout), {
    colors: colorsFor({ isTTY: false }),
    width: 80,
    now: Date.now(),
  })
  t.regex(text, /^Session start · Claude Code +shop · main$/m)
  t.regex(text, /━+─+ \d+ of 1,200 tokens, \d+ %/)
  t.regex(text, /^rule +\d\.\d\d │ - rule, just now: never push to main/m)
  t.regex(text, /^newest +│ 3 left out, 9 shown$/m)
  t.regex(text, /^ {2}\d\.\d\d {2}fact: trivia number .+ {2}[0-9a-f]{8} {2}places are full$/m)
  t.deepEqual(
    text.split('\n').filter(line => displayWidth(line) > 80),
    [],
  )
})

test('a difference in a pipe has one change per line, and none without a start', async t => {
  const { daemon, run, cwd } = await startInShop(t)
  const none = await run(['preview', '--diff'])
  t.is(none.stdout, '')
  t.regex(none.stderr, /No start of a session is recorded/)
  const body = { harness: 'codex', sessionKey: 's1', cwd }
  await daemon.call('POST /api/hooks/session-start', { body })
  await run(['remember', 'the till is broken', '--type', 'issue'])
  const { stdout } = await run(['preview', '--diff'])
  t.regex(stdout, /^\+\tnew\tissue\t[0-9a-f-]{36}\t.*the till is broken/m)
  t.regex(stdout, /^-\tplaces are full\tfact\t[0-9a-f-]{36}\ttrivia number/m)
})

test('an unknown harness, and a prompt with --subagent, are refused', async t => {
  const { run } = await startInShop(t)
  const unknown = await run(['preview', '--harness', 'emacs'])
  t.is(unknown.code, 2)
  t.regex(unknown.stderr, /emacs[\s\S]*claude-code/)
  t.is((await run(['preview', '--prompt', 'hello', '--subagent'])).code, 2)
})

test('a preview, and conversations, of a project that nobody knows say so', async t => {
  const { run } = await startInShop(t)
  for (const words of [['preview'], ['sessions', 'search', 'deploy'], ['sessions', 'summaries']]) {
    const { stderr } = await run([...words, '--project', 'shpo'])
    t.regex(stderr, /No project is called "shpo"; did you mean: shop/u, words.join(' '))
  }
})
