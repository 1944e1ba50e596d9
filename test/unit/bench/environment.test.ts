// runs: alone

import test from 'ava'
import { runNode } from '../../../bench/hooks/hook-run.js'

test('a measured process inherits no environment variable that changes the cost of Node', async t => {
  const tell = 'process.stdout.write(Object.keys(process.env).sort().join())'
  const before = process.env.NODE_EXTRA_CA_CERTS
  process.env.NODE_EXTRA_CA_CERTS = '/nowhere'
  t.teardown(() => {
    if (before === undefined) delete process.env.NODE_EXTRA_CA_CERTS
    else process.env.NODE_EXTRA_CA_CERTS = before
  })
  const { stdout } = await runNode(['-e', tell], { SERVICE_WORKSPACE: '/w' })
  const names = stdout.split(',')
  t.true(names.includes('PATH') && names.includes('SERVICE_WORKSPACE'), stdout)
  t.false(names.includes('NODE_EXTRA_CA_CERTS'), stdout)
})
