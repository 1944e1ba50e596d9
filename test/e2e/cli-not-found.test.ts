import test from 'ava'
import { runHere } from '../helpers/commands-here.js'

const id = '0198c0de-0000-7000-8000-000000000001'

const commands = [
  ['get', id],
  ['history', id],
  ['lineage', id],
  ['edit', id, '--tags', 'a'],
  ['recover', id],
  ['rate', id, 'up'],
  ['agents', 'show', 'nobody'],
  ['agents', 'edit', 'nobody', '--policy', 'shared'],
  ['agents', 'remove', 'nobody', '--yes'],
  ['api-key', 'revoke', id],
  ['connectors', 'show', id],
  ['connectors', 'health', id],
  ['connectors', 'sync', id],
  ['connectors', 'remove', id, '--yes'],
  ['documents', 'show', id],
  ['documents', 'chunks', id],
  ['documents', 'remove', id, '--yes'],
  ['imports', 'show', id],
  ['imports', 'cancel', id],
  ['imports', 'pause', id],
  ['imports', 'resume', id],
  ['imports', 'retry', id],
  ['imports', 'rejections', id],
  ['messages', 'ack', id],
  ['messages', 'retry', id],
  ['ontology', 'show', id],
  ['ontology', 'around', id],
  ['ontology', 'claims', id],
  ['plugins', 'show', 'nope'],
  ['plugins', 'enable', 'nope'],
  ['projects', 'show', 'nope'],
  ['secrets', 'delete', 'NOPE', '--yes'],
  ['secrets', 'exec', 'NOPE', '--', 'true'],
  ['sessions', 'show', 'nope'],
  ['sessions', 'blackbox', 'nope'],
  ['sessions', 'bypass', 'nope'],
  ['sessions', 'transcript', 'nope'],
  ['skills', 'show', 'nope'],
  ['skills', 'remove', 'nope', '--yes'],
  ['sources', 'show', id],
  ['sources', 'pause', id],
  ['sources', 'sync', id],
  ['sources', 'remove', id, '--yes'],
  ['tasks', 'show', 'nope'],
  ['tasks', 'logs', 'nope'],
  ['tasks', 'remove', 'nope', '--yes'],
  ['about', 'nope'],
  ['timeline', id],
]

test('every command with an unknown id ends with code 3 and one next step', async t => {
  for (const command of commands) {
    const { code, stdout, stderr } = await runHere(t, command)
    const [error, next, ...more] = stderr.trimEnd().split('\n')
    t.deepEqual([command, code, stdout, more], [command, 3, '', []])
    t.regex(error ?? '', /^error: [^;]+$/u, 'the advice is in its own line')
    t.regex(next ?? '', /^next: .*\bmemory /u)
  }
})
