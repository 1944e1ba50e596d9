// runs: alone

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { execa } from 'execa'
import { freePort } from '../helpers/cli.js'
import { spawnDaemon } from '../helpers/daemon-process.js'
import { type HarnessHome, harnessHome } from '../helpers/harness-home.js'

type Groups = Record<string, { hooks: { command?: string; url?: string }[] }[]>

/**
 * Starts a daemon with a memory in a workspace whose path is hard to quote, and connects a home folder to it.
 */
async function connected(t: ExecutionContext, words: string[], files: Record<string, string>) {
  const home = harnessHome(t, files)
  const workspace = join(home.home, `ann's "own" workspace`)
  mkdirSync(workspace)
  const env = { SERVICE_WORKSPACE: workspace, SERVICE_PORT: String(await freePort()) }
  await spawnDaemon(t, workspace, env).ready()
  t.is((await home.run(['remember', 'We deploy on Tuesdays only', '--pin', '--no-project'], { env })).code, 0)
  t.is((await home.run(['connect', ...words, '--yes'], { env })).code, 0)
  return home
}

/** Runs a command line like an agent: through the shell, without variables for the workspace. */
async function runHook(home: HarnessHome, command: string, input: object) {
  // A machine that is busy with other tests exceeds the usual deadline.
  const env = { PATH: '/usr/bin:/bin', HOME: home.home }
  return execa('sh', ['-c', `${command} --timeout 20000`], {
    input: JSON.stringify(input),
    env,
    extendEnv: false,
    reject: false,
  })
}

const start = { session_id: 's1', cwd: '/shop', hook_event_name: 'SessionStart', source: 'startup' }

test.serial('the installed command adds memories to a session of Claude Code', async t => {
  const home = await connected(t, ['claude', '--no-mcp'], { '.claude/settings.json': '{}' })
  const { hooks } = JSON.parse(home.read('.claude/settings.json')) as { hooks: Groups }
  const { stdout, stderr, exitCode } = await runHook(home, hooks.SessionStart![0]!.hooks[0]!.command!, start)
  t.is(exitCode, 0)
  const { hookSpecificOutput } = JSON.parse(stdout || `{"stderr":${JSON.stringify(stderr)}}`)
  t.is(hookSpecificOutput?.hookEventName, 'SessionStart', stderr)
  t.regex(hookSpecificOutput.additionalContext, /We deploy on Tuesdays only/)
})

test.serial('the commands installed in Gemini CLI and Cursor use their formats', async t => {
  const home = await connected(t, ['gemini', 'cursor', '--no-mcp'], {})
  const gemini = JSON.parse(home.read('.gemini/settings.json')) as { hooks: Groups }
  const started = await runHook(home, gemini.hooks.SessionStart![0]!.hooks[0]!.command!, start)
  t.is(started.stdout, '')
  const told = await runHook(home, gemini.hooks.BeforeAgent![0]!.hooks[0]!.command!, {
    ...start,
    hook_event_name: 'BeforeAgent',
    prompt: 'hello',
  })
  t.regex(JSON.parse(told.stdout).hookSpecificOutput.additionalContext, /We deploy on Tuesdays only/)
  const cursor = JSON.parse(home.read('.cursor/hooks.json')) as {
    hooks: Record<string, { command: string }[]>
  }
  const shown = await runHook(home, cursor.hooks.sessionStart![0]!.command, {
    conversation_id: 'c1',
    hook_event_name: 'sessionStart',
    workspace_roots: ['/shop'],
  })
  t.regex(JSON.parse(shown.stdout).additional_context, /We deploy on Tuesdays only/)
})

test.serial('URLs installed with --transport http are answered', async t => {
  const home = await connected(t, ['claude', '--transport', 'http'], { '.claude/settings.json': '{}' })
  const { hooks } = JSON.parse(home.read('.claude/settings.json')) as { hooks: Groups }
  for (const [event, [group]] of Object.entries(hooks)) {
    const [{ url, command = '' } = {}] = group!.hooks
    if (event === 'SessionStart') continue
    if (event.startsWith('PostToolUse')) {
      t.regex(command, / hook tool-use -H claude-code /u)
      continue
    }
    const reply = await fetch(url!, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...start, hook_event_name: event, prompt: 'hello', trigger: 'auto' }),
    })
    t.is(reply.status, 200, event)
  }
})
