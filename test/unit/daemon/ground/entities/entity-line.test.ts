import test from 'ava'
import { entityLine } from '../../../../../src/daemon/ground/entities/entity-line.js'

test('a fact that several projects state is said once', t => {
  const version = (value: string) => ({
    aspect: 'versions',
    group_name: 'general',
    claim: 'Redis version',
    value,
  })
  t.is(
    entityLine({ name: 'checkout', entity_type: 'topic' }, [version('7'), version('7'), version('8')]),
    'checkout (topic): versions Redis version: 7; versions Redis version: 8',
  )
})
