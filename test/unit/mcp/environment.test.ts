import test from 'ava'
import { deleteUnresolved, workspaceChoice } from '../../../src/mcp/environment.js'

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
