import test from 'ava'
import pico from 'picocolors'
import { auditTable, pluginTable } from '../../../../src/cli/agents/plugins.js'

const colors = pico.createColors(true)
const plugin = {
  id: 'acme.notes',
  name: 'Notes',
  description: 'All \u001b[2Ja team\u0007 agreed on, in more words than a narrow terminal has columns for',
  version: '1.0.0',
  state: 'disabled',
  enabled: false,
  reason: null,
  grantedCapabilities: [],
  declaredCapabilities: ['prompt:contribute'],
  pendingCapabilities: ['prompt:contribute'],
}
type Plugins = Parameters<typeof pluginTable>[0]

test('text of a plugin cannot drive the terminal, and a table row takes one line', t => {
  const [, row = ''] = pluginTable([plugin] as unknown as Plugins, { colors, width: 60 }).split('\n')
  t.false(row.includes('\u001b'))
  t.true(row.length <= 60)
  t.regex(row, /…$/)
})

test('piped plugin rows are tab-separated, without headings', t => {
  t.regex(
    pluginTable([plugin] as unknown as Plugins, { colors, width: undefined }),
    /^acme\.notes\tdisabled\t1\.0\.0\t0 of 1\tAll [^\t\n]+$/,
  )
  const event = {
    timestamp: '2026-01-01T00:00:00.000Z',
    pluginId: 'acme.notes',
    event: 'plugin.enabled',
    result: 'ok',
    source: 'api',
    data: { from: 'disabled' },
  }
  t.is(
    auditTable([event] as unknown as Parameters<typeof auditTable>[0], { colors, tabs: true }),
    '2026-01-01T00:00:00.000Z\tacme.notes\tplugin.enabled\tok\tapi\t{"from":"disabled"}',
  )
})
