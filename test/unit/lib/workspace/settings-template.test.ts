import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { settingKeys } from '../../../../src/cli/operations/config.js'
import { settings } from '../../../../src/contract/settings.js'
import { loadSettings } from '../../../../src/lib/workspace/settings-file.js'
import { settingsTemplate } from '../../../../src/lib/workspace/settings-template.js'
import { temporaryFolder } from '../../../helpers/temporary-folder.js'

test('the template is valid and contains the defaults and only known settings', t => {
  const folder = temporaryFolder(t, 'memory-service-settings')
  const file = join(folder, 'agent.yaml')
  writeFileSync(file, settingsTemplate)
  const { given: _given, ...loaded } = loadSettings(file, settings)
  t.deepEqual(loaded, { settings: settings.parse({}), errors: [], unknown: [] })
})

test('the template contains every setting', t => {
  const keys = settingKeys(settings)
  t.true(keys.includes('daemon.port'))
  t.true(keys.includes('embedding.modelPath'))
  t.true(keys.includes('memory.pipelineV2.mutationsFrozen'))
  for (const key of keys) {
    const name = key.split('.').at(-1)!
    t.regex(settingsTemplate, new RegExp(`^\\s*(# )?${name}: `, 'm'), key)
  }
})
