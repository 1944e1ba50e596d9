import test from 'ava'
import {
  executeForget,
  type ForgetCall,
  type ForgetPreview,
  forgetOutcome,
  requireTarget,
} from '../../../../src/cli/memory/forget.js'
import { forgetFlags } from '../../../../src/commands/forget.js'

const preview: ForgetPreview = {
  mode: 'preview',
  count: 2,
  requiresConfirm: false,
  confirmToken: 'token-all',
  candidates: [],
}

function recordingCall() {
  const bodies: Array<Parameters<ForgetCall>[0]> = []
  const send: ForgetCall = async body => {
    bodies.push(body)
    if (body.mode === 'preview') return { ...preview, confirmToken: 'token-part' }
    return { mode: 'execute', requested: 1, deleted: 1, results: [] }
  }
  return { bodies, send }
}

test('a complete preview is executed unchanged, with its token (rules.md 4.8)', async t => {
  const { bodies, send } = recordingCall()
  await executeForget(send, { target: { query: 'old' }, preview, reason: 'why', force: false })
  t.deepEqual(bodies, [
    { query: 'old', mode: 'execute', reason: 'why', force: false, confirm_token: 'token-all' },
  ])
})

test('a selection is executed by ids, with a new token', async t => {
  const { bodies, send } = recordingCall()
  const target = { query: 'old', scope: 's' }
  await executeForget(send, { target, preview, chosen: ['a'], reason: 'why', force: true })
  t.is(bodies.length, 2)
  t.like(bodies[0], { ids: ['a'], scope: 's', mode: 'preview' })
  t.like(bodies[1], { ids: ['a'], mode: 'execute', confirm_token: 'token-part', force: true })
  t.false('query' in bodies[1]!)
})

test('missing ids do not prevent the others from being forgotten', async t => {
  const { bodies, send } = recordingCall()
  const shown = { ...preview, candidates: [{ id: 'a' }] as ForgetPreview['candidates'] }
  const result = await executeForget(send, {
    target: { ids: ['a', 'gone'] },
    preview: shown,
    reason: 'why',
    force: false,
  })
  t.deepEqual(bodies.at(-1)!.ids, ['a'])
  t.is(result.requested, 2)
  t.deepEqual(result.results, [{ id: 'gone', status: 'not_found' }])
})

test('ids beyond the limit are left out, not reported as missing', async t => {
  const { send } = recordingCall()
  const shown = { ...preview, candidates: [{ id: 'a' }] as ForgetPreview['candidates'] }
  const target = { ids: ['a', 'b', 'c'], limit: 1 }
  const result = await executeForget(send, { target, preview: shown, reason: 'why', force: false })
  t.deepEqual(result.results, [])
})

test('the help of forget says that memories of every scope are included', t => {
  t.regex(forgetFlags.scope.summary ?? '', /default: all scopes/)
})

test('a memory that others hold is reported, without advice to recover it', t => {
  const kept = { id: 'a', status: 'deleted' as const, currentVersion: 1, newVersion: 1 }
  const gone = { id: 'b', status: 'deleted' as const, currentVersion: 1, newVersion: 2 }
  const result = { mode: 'execute', requested: 1, deleted: 1 } as const
  const { lines, complete } = forgetOutcome({ ...result, results: [kept] })
  t.true(complete)
  t.deepEqual(lines.slice(1), [
    '  a: other agents saved it too and still see it; to get it back, save it again',
  ])
  t.regex(
    forgetOutcome({ ...result, results: [kept, gone] }).lines[2] ?? '',
    /^To bring it back within 30 days: memory undo$/,
  )
})

test('memories left in place are explained and make the outcome incomplete', t => {
  const { lines, complete } = forgetOutcome({
    mode: 'execute',
    requested: 2,
    deleted: 1,
    results: [
      { id: 'a', status: 'deleted' },
      { id: 'b', status: 'pinned_requires_force' },
    ],
  })
  t.false(complete)
  t.deepEqual(lines, [
    'Forgot 1 memory',
    '  not forgotten: b, pinned, add --force',
    'To bring it back within 30 days: memory undo',
  ])
})

test('an empty target is refused, because it must never mean everything', t => {
  t.throws(() => requireTarget({}), { code: 'target_required' })
  t.throws(() => requireTarget({ project: 'api', limit: 10 }), { code: 'target_required' })
  t.notThrows(() => requireTarget({ ids: ['a'] }))
  t.notThrows(() => requireTarget({ since: '2026-01-01T00:00:00.000Z' }))
})

test('more ids than a batch allows are refused', t => {
  const ids = Array.from({ length: 201 }, (_, index) => `id-${index}`)
  t.throws(() => requireTarget({ ids }), { code: 'validation_failed' })
})
