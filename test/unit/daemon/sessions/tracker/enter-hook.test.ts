import test from 'ava'
import type { HookFields } from '../../../../../src/contract/sessions/hooks.js'
import type { Caller } from '../../../../../src/daemon/ground/visibility/caller.js'
import { type EnterDeps, peekHook } from '../../../../../src/daemon/sessions/tracker/enter-hook.js'

test('a hook does not wait for a folder that does not answer', async t => {
  const projects = { locate: () => new Promise(() => undefined), canonical: (key: string) => key }
  const deps = { projects } as unknown as EnterDeps
  const caller = { access: { scope: {} }, project: undefined } as unknown as Caller
  const body = { harness: 'claude-code', cwd: '/Users/ann/Documents/shop' } as HookFields
  const { project, repository } = await peekHook(deps, caller, body, { claims: false })
  t.deepEqual({ project, repository }, { project: null, repository: undefined })
})
