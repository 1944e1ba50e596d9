import test from 'ava'
import { isBackedUp, mayBeRestored } from '../../../../../src/daemon/operations/backup/archive/scope.js'

test('a restore writes no guarded path under another spelling', t => {
  for (const path of [
    '.GIT/config',
    '.Git/hooks/post-commit',
    'notes/.giT/config',
    '.git./config',
    '.git /config',
    '.g\u200cit/config',
    '.\uff47\uff49\uff54/config',
    'GIT~1/config',
    '.Secrets/machine.key',
    '.secrets/MACHINE.key',
    'SECRET~1/machine.key',
    '.Daemon/auth-secret',
    'DAEMON~1/auth-secret',
    '.daemon./captures/a',
    'memory/memories.db-WAL',
    'Memory/memories.db',
  ])
    t.false(mayBeRestored(path), path)
})

test('a restore writes ordinary paths in their own spelling', t => {
  for (const path of [
    'MEMORY.md',
    'agent.yaml',
    'memory/memories.db',
    'Backups/a.md',
    'notes~1/A.md',
    'e\u0301tudes/x.',
    '.daemon/captures/Ab/c',
    '.secrets/store.json',
    '.gitignore',
    '.github/workflows/ci.yml',
  ])
    t.true(mayBeRestored(path), path)
})

test('the key of the secrets is in no backup, whatever its case', t => {
  t.false(isBackedUp('.secrets/machine.key'))
  t.false(isBackedUp('.SECRETS/Machine.key'))
  t.true(isBackedUp('.secrets/secrets.enc'))
})
