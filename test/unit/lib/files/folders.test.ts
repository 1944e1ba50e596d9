// runs: alone

import { userInfo } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { homeFolder } from '../../../../src/lib/files/folders.js'
import { workspacePaths } from '../../../../src/lib/workspace/paths.js'

test('an empty HOME is ignored in favour of the home of the user', t => {
  const { HOME, SERVICE_WORKSPACE } = process.env
  t.teardown(() => Object.assign(process.env, { HOME, ...(SERVICE_WORKSPACE && { SERVICE_WORKSPACE }) }))
  process.env.HOME = '/home/of/ada'
  t.is(homeFolder(), '/home/of/ada')
  process.env.HOME = ''
  delete process.env.SERVICE_WORKSPACE
  t.is(homeFolder(), userInfo().homedir)
  t.is(workspacePaths().root, join(userInfo().homedir, '.memory-service'))
  t.is(workspacePaths('~/elsewhere').root, join(userInfo().homedir, 'elsewhere'))
})
