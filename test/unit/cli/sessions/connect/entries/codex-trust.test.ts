import test from 'ava'
import { idleHooks, trustEdit } from '../../../../../../src/cli/sessions/connect/entries/codex-trust.js'

const file = '/home/ann/.codex/hooks.json'
const command = (hook: string) => `memory hook ${hook} -H codex`
const handlers = {
  start: { type: 'command', statusMessage: 'loading memory', command: command('session-start'), timeout: 10 },
  stop: { type: 'command', command: command('session-checkpoint-extract'), timeout: 10 },
}
const hooks = JSON.stringify({
  hooks: {
    SessionStart: [{ matcher: 'startup|resume|clear|compact', hooks: [handlers.start] }],
    Stop: [{ hooks: [{ type: 'command', command: 'say done' }] }, { hooks: [handlers.stop] }],
  },
})
/** Written by Codex 0.169.0. */
const startHash = 'sha256:035562564e275e2379e7ed3ad3b199a3d30bff230bff36258d9d60bd79b04396'
const stopHash = 'sha256:eec9964822a7e86ad6f45c31e6f3ab25ef9df4b0cfddda4a4e0273492cd4f92a'
const state = (key: string, hash: string) => `\n[hooks.state."${file}:${key}"]\ntrusted_hash = "${hash}"\n`
const mine = 'model = "gpt"\n'
const trusted = `${mine}\n[hooks.state]\n${state('session_start:0:0', startHash)}${state('stop:1:0', stopHash)}`

test('hooks run if their exact definition was trusted', t => {
  t.deepEqual(idleHooks([file], hooks, trusted, 'linux'), { all: 2, untrusted: 0, changed: 0, disabled: 0 })
})

test('untrusted, changed and disabled hooks do not run', t => {
  const idle = (config: string, text = hooks) => idleHooks([file], text, config, 'linux')
  t.like(idle(mine), { all: 2, untrusted: 2 })
  t.like(idle(trusted, hooks.replace('loading', 'reading')), { untrusted: 0, changed: 1 })
  t.like(idle(`${trusted}enabled = false\n`), { changed: 0, disabled: 1 })
  t.like(idleHooks(['/elsewhere/hooks.json'], hooks, trusted, 'linux'), { untrusted: 2 })
})

test('on Windows Codex trusts the command for Windows', t => {
  const windows = hooks.replaceAll('"command":"memory', '"command":"cmd","commandWindows":"memory')
  t.not(windows, hooks)
  const both = windows.replaceAll('"command":"cmd"', '"command":"memory hook session-start -H codex"')
  t.like(idleHooks([file], both, trusted, 'win32'), { all: 2, untrusted: 0, changed: 0 })
  t.like(idleHooks([file], both, trusted, 'linux'), { all: 2, changed: 1 })
})

test('a file that does not parse has no hooks', t => {
  t.like(idleHooks([file], '{', '[x', 'linux'), { all: 0, untrusted: 0 })
})

const edit = (readHooks: string, forgetTrust = true) =>
  trustEdit({
    file: 'config.toml',
    hooksFiles: [file],
    wanted: [{ event: 'Stop', handler: handlers.stop }],
    forgetTrust,
    readHooks: () => readHooks,
    platform: 'linux',
  })

test('trust of own hooks is removed byte for byte, if requested', t => {
  t.is(edit(hooks).remove(trusted), mine)
  t.is(edit(hooks, false).remove(trusted), trusted)
  t.is(edit(hooks).add(mine), mine)
})

test('trust of other hooks is kept', t => {
  const others = state('stop:0:0', 'sha256:other')
  t.is(edit(hooks).remove(`${trusted}${others}`), `${mine}\n[hooks.state]\n${others}`)
})

test('without own hooks in the file, their trust is recognised by hash', t => {
  t.is(edit('{}').remove(trusted), `${mine}\n[hooks.state]\n${state('session_start:0:0', startHash)}`)
})

test('a state table that was there before is kept', t => {
  const before = `${mine}\n[hooks.state]\n`
  t.is(edit(hooks).remove(trusted, before), before)
})
