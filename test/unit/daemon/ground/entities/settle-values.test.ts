import test from 'ava'
import { settledVersions } from '../../../../../src/daemon/ground/entities/settle-values.js'
import type { ClaimVersionRow } from '../../../../../src/store/tables/knowledge/claims.js'

const now = '2026-06-01T00:00:00.000Z'

function version(id: string, more: Partial<ClaimVersionRow> = {}): ClaimVersionRow {
  return {
    id,
    claim_id: 'claim',
    entity_id: 'entity',
    value: id,
    value_hash: id,
    confidence: 0.9,
    status: 'current',
    valid_from: null,
    valid_until: null,
    recorded_at: now,
    expired_at: null,
    replaced_by: null,
    project: null,
    session_key: null,
    ...more,
  }
}

const replaced = (id: string, by: string, more: Partial<ClaimVersionRow> = {}) =>
  version(id, { status: 'superseded', replaced_by: by, expired_at: now, ...more })

function settled(versions: readonly ClaimVersionRow[], ...believed: string[]): string[] {
  return settledVersions(versions, new Set(believed), now).map(
    ({ version: { id }, change }) => `${id} ${change.status} by ${change.replaced_by}`,
  )
}

test('a history whose newest value has a source stays as it is', t => {
  t.deepEqual(settled([replaced('a', 'b'), version('b')], 'a', 'b'), [])
})

test('the newest value with a source holds, and those after it are unsupported', t => {
  const history = [replaced('a', 'b'), replaced('b', 'c'), version('c')]
  t.deepEqual(settled(history, 'a', 'b'), ['c unsupported by undefined', 'b current by undefined'])
  t.deepEqual(settled(history, 'a'), [
    'c unsupported by undefined',
    'b unsupported by undefined',
    'a current by undefined',
  ])
})

test('a history without any source stays as it is', t => {
  t.deepEqual(settled([replaced('a', 'b'), version('b')]), [])
})

test('a value whose source is back replaces those before it again', t => {
  const lost = [version('a', { replaced_by: 'b' }), version('b', { status: 'unsupported' })]
  t.deepEqual(settled(lost, 'a', 'b'), ['b current by undefined', 'a superseded by b'])
})

test('a value whose source is back gives way to one that was said since', t => {
  const lost = [version('b', { status: 'unsupported' }), version('c')]
  t.deepEqual(settled(lost, 'b', 'c'), ['b superseded by c'])
})

test('an end that the next value set is taken back, and no other', t => {
  const next = version('b', { valid_from: '2026-05-01' })
  const cut = replaced('a', 'b', { valid_until: '2026-05-01' })
  const ended = replaced('a', 'b', { valid_until: '2026-04-01' })
  const endOf = (one: ClaimVersionRow) =>
    settledVersions([one, next], new Set(['a']), now).find(({ version: { id } }) => id === 'a')?.change
  t.deepEqual(endOf(cut), { status: 'current', expired_at: null, valid_until: null })
  t.deepEqual(endOf(ended), { status: 'current', expired_at: null })
})

test('a value that holds until a planned one begins is left alone', t => {
  const planned = version('b', { valid_from: '2090-01-01' })
  const until = version('a', { replaced_by: 'b', valid_until: '2090-01-01' })
  t.deepEqual(settled([until, planned], 'a', 'b'), [])
  t.deepEqual(settled([until, planned], 'a'), ['b unsupported by undefined', 'a current by undefined'])
})

test('values of two projects have histories of their own', t => {
  const shop = [replaced('a', 'b', { project: 'shop' }), version('b', { project: 'shop' })]
  const bank = [replaced('c', 'd', { project: 'bank' }), version('d', { project: 'bank' })]
  t.deepEqual(settled([...shop, ...bank], 'a', 'd'), ['b unsupported by undefined', 'a current by undefined'])
})
