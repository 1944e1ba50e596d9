import test from 'ava'
import {
  createBitwarden,
  createOnePassword,
} from '../../../../../src/daemon/platform/password-vaults/vault-programs.js'

const neverRun = {
  run: () => Promise.reject(new Error('was run')),
  json: () => Promise.reject(new Error('was run')),
}

test('an id that begins with a dash is refused, since a password manager would read it as an option', async t => {
  const bitwarden = createBitwarden(neverRun)
  const onePassword = createOnePassword(neverRun)
  for (const attempt of [
    async () => bitwarden.password('session', '--output=/tmp/x'),
    async () => bitwarden.remove('session', '-h'),
    async () => bitwarden.change('session', '-h', 'value'),
    async () => bitwarden.items('session', '-h'),
    async () => onePassword.items('token', '--config=/tmp/x'),
    async () => onePassword.hiddenFields('token', 'vault', '-h'),
  ])
    t.like(await t.throwsAsync(attempt), { code: 'validation_failed' })
})
