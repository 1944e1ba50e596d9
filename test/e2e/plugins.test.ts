// runs: in turn

import { readFileSync } from 'node:fs'
import test from 'ava'
import { pluginRegistryFile } from '../../src/contract/platform/plugins.js'
import { workspacePaths } from '../../src/lib/workspace/paths.js'
import { cliWorkspace } from '../helpers/cli.js'
import { runHere } from '../helpers/commands-here.js'
import { temporaryWorkspace } from '../helpers/daemon.js'
import { spawnDaemon } from '../helpers/daemon-process.js'
import { addPlugin, contribution } from '../helpers/plugins.js'

test('a kill during changes leaves the registry complete, with every answered change', async t => {
  const workspace = temporaryWorkspace(t)
  const { pluginRegistry } = workspacePaths(workspace)
  for (let round = 0; round < 3; round++) {
    const daemon = spawnDaemon(t, workspace)
    const { url } = await daemon.ready()
    const patch = (enabled: boolean) =>
      fetch(`${url}/api/plugins/service.codeindex`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ enabled }),
      })
    const state = { answered: false, asked: false }
    const changing = (async () => {
      for (let change = 0; ; change++) {
        state.asked = change % 2 === 0
        await patch(state.asked)
        state.answered = state.asked
        if (change === 10 + round * 3) daemon.child.kill('SIGKILL')
      }
    })()
    await t.throwsAsync(changing)
    await daemon.exited
    const { plugins } = pluginRegistryFile.parse(JSON.parse(readFileSync(pluginRegistry, 'utf8')))
    t.true([state.answered, state.asked].includes(plugins['service.codeindex']?.enabled as boolean))
  }
})

test('plugins are listed, shown, enabled, disabled and audited from a terminal', async t => {
  const list = await runHere(t, ['plugins', 'list'])
  t.regex(list.stdout, /^service\.codeindex\tdisabled\t/mu)
  t.regex(list.stdout, /^service\.secrets\tactive\t/mu)
  const on = await runHere(t, ['plugins', 'enable', 'service.codeindex'])
  t.is(on.stdout, 'service.codeindex is active')
  const off = await runHere(t, ['plugins', 'disable', 'service.codeindex', '--json'])
  t.is(off.json().state, 'disabled')
  t.regex(
    (await runHere(t, ['plugins', 'show', 'service.secrets'])).stdout,
    /prompt secrets\.by-name +included, \d+ tokens/u,
  )
  const { events } = (await runHere(t, ['plugins', 'audit', '--event', 'plugin.disabled', '--json'])).json()
  t.is(events[0].pluginId, 'service.codeindex')
  const recent = await runHere(t, ['plugins', 'audit', '--since', '1d', '-n', '1'])
  t.regex(recent.stdout, /^\S+\tservice\.codeindex\tplugin\.disabled\tok\tapi\t\{/u)
})

test('a workspace plugin gets its requested grants, and loses them again', async t => {
  addPlugin(workspacePaths(cliWorkspace(t)), 'acme.notes', {
    capabilities: ['prompt:contribute'],
    promptContributions: [contribution('style')],
  })
  await runHere(t, ['plugins', 'enable', 'acme.notes'])
  t.regex(
    (await runHere(t, ['plugins', 'list'])).stderr,
    /needs your permission for prompt:contribute: memory plugins grant acme\.notes/u,
  )
  const granted = await runHere(t, ['plugins', 'grant', 'acme.notes', '--pending'])
  t.is(granted.stdout, 'acme.notes is active')
  const revoked = await runHere(t, ['plugins', 'revoke', 'acme.notes', 'prompt:contribute'])
  t.is(revoked.stdout, 'acme.notes is active; not granted: prompt:contribute')
})

test('an unknown plugin exits with 3, and an empty grant with 2', async t => {
  const unknown = await runHere(t, ['plugins', 'enable', 'acme.nothing'])
  t.is(unknown.code, 3)
  t.regex(unknown.stderr, /memory plugins list/u)
  t.is((await runHere(t, ['plugins', 'grant', 'service.secrets'])).code, 2)
  t.is((await runHere(t, ['plugins', 'grant', 'service.secrets', 'made:up'])).code, 2)
})

test('doctor reports an invalid plugin', async t => {
  addPlugin(workspacePaths(cliWorkspace(t)), 'acme.notes', { version: 7 })
  const { json, code } = await runHere(t, ['doctor', '--json'])
  const finding = json().findings.find(({ id }: { id: string }) => id === 'plugins')
  t.like(finding, { severity: 'warning', fix: 'memory plugins show acme.notes' })
  t.is(code, 6)
})
