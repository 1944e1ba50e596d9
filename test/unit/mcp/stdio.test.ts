import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import test from 'ava'
import type { BundledPlugin } from '../../../src/contract/ground/plugin-capabilities.js'
import { workspacePaths } from '../../../src/lib/workspace/paths.js'
import { offeredTools } from '../../../src/mcp/listed-tool.js'
import { offersOf } from '../../../src/mcp/offered-tools.js'
import { deleteUnresolved, workspaceChoice } from '../../../src/mcp/stdio.js'
import { temporaryWorkspace } from '../../helpers/daemon.js'
import { openPlugins } from '../../helpers/plugins.js'

const tools: readonly { name: string; plugin?: BundledPlugin }[] = [
  { name: 'memory_search' },
  { name: 'secret_list', plugin: 'service.secrets' },
  { name: 'service_code_search', plugin: 'service.codeindex' },
]

const namesFor = (workspace: string) => offeredTools(tools, offersOf(workspace)).map(({ name }) => name)

test('before the first daemon, tools of plugins enabled by default are listed', t => {
  t.deepEqual(namesFor(temporaryWorkspace(t)), ['memory_search', 'secret_list'])
})

test('tools of a plugin that is disabled or lost its tool grant are not listed', async t => {
  const { plugins, paths } = await openPlugins(t)
  const change = async (id: string, fields: object) => {
    const plugin = plugins.find(id)
    if (plugin) await plugins.change(plugin, fields, { source: 'api' })
  }
  await change('service.codeindex', { enabled: true })
  t.deepEqual(namesFor(paths.root), ['memory_search', 'secret_list', 'service_code_search'])
  await change('service.secrets', { enabled: false })
  await change('service.codeindex', { revoke: ['mcp:tools'] })
  t.deepEqual(namesFor(paths.root), ['memory_search'])
})

test('with an unreadable registry all tools are listed, and the daemon decides', t => {
  const workspace = temporaryWorkspace(t)
  const { pluginRegistry } = workspacePaths(workspace)
  mkdirSync(dirname(pluginRegistry), { recursive: true })
  writeFileSync(pluginRegistry, '{')
  t.is(namesFor(workspace).length, 3)
})

test('unresolved variable references are removed, values stay', t => {
  const braces = (inner: string) => `{${inner}}`
  const env: Record<string, string | undefined> = {
    SERVICE_PORT: '$SERVICE_PORT',
    SERVICE_HOST: `$${braces('SERVICE_HOST')}`,
    SERVICE_TOKEN: `$${braces('env:SERVICE_TOKEN')}`,
    SERVICE_API_KEY: braces('env:SERVICE_API_KEY'),
    SERVICE_LOG_LEVEL: '',
    SERVICE_PROJECT: '$HOME',
    SERVICE_DAEMON_URL: 'http://127.0.0.1:3850',
    OTHER: '$OTHER',
  }
  deleteUnresolved(env)
  t.deepEqual(env, {
    SERVICE_PROJECT: '$HOME',
    SERVICE_DAEMON_URL: 'http://127.0.0.1:3850',
    OTHER: '$OTHER',
  })
})

test('the origin of the workspace is reported', t => {
  t.regex(workspaceChoice({}, undefined), /^the default: SERVICE_WORKSPACE is not set/)
  t.regex(workspaceChoice({ SERVICE_WORKSPACE: '/x' }, undefined), /SERVICE_WORKSPACE$/)
  t.regex(workspaceChoice({ SERVICE_WORKSPACE: '/x' }, '/y'), /--workspace$/)
  t.regex(workspaceChoice({ SERVICE_DAEMON_URL: 'http://x:1' }, '/y'), /daemon in SERVICE_DAEMON_URL$/)
})
