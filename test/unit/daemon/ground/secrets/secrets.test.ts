import test, { type ExecutionContext } from 'ava'
import { createSecrets, resolveToken, SecretUses } from '../../../../../src/daemon/ground/secrets/secrets.js'
import { storeFolder } from '../../../../helpers/secret-stores.js'

async function secretsWith(t: ExecutionContext, environment: NodeJS.ProcessEnv = {}) {
  const external = { active: () => undefined, resolve: async () => undefined }
  const { folder, open } = storeFolder(t)
  const clock = () => new Date('2030-01-01T00:00:00Z')
  const uses = new SecretUses({ file: `${folder}-uses.json`, clock, log: { warn: () => undefined } })
  const secrets = createSecrets({ store: open(), environment, external, uses })
  await secrets.set('API_KEY', 'the stored value')
  return secrets
}

test('a name with or without local:// resolves to the stored value', async t => {
  const secrets = await secretsWith(t)
  t.is(await secrets.resolve('API_KEY'), 'the stored value')
  t.is(await secrets.resolve('local://API_KEY'), 'the stored value')
})

test('env: resolves to a variable of the daemon only', async t => {
  const secrets = await secretsWith(t, { API_KEY: 'of the environment' })
  t.is(await secrets.resolve('env:API_KEY'), 'of the environment')
  t.is(await secrets.resolve('API_KEY'), 'the stored value')
  const error = await t.throwsAsync(secrets.resolve('env:OTHER'), { code: 'not_found' })
  t.regex(error.message, /env:OTHER.*set the variable/u)
})

test('env: never resolves to a credential of this daemon', async t => {
  const secrets = await secretsWith(t, { SERVICE_ADMIN_PASSWORD: 'of the admin' })
  t.false(await secrets.isSet('env:SERVICE_ADMIN_PASSWORD'))
  const onWindows = await secretsWith(t, { service_admin_password: 'of the admin' })
  t.false(await onWindows.isSet('env:service_admin_password'))
  const error = await t.throwsAsync(secrets.resolve('env:SERVICE_ADMIN_PASSWORD'), { code: 'not_found' })
  t.notRegex(error.message, /set the variable/u)
  t.regex(error.message, /name another variable/u)
})

test('a missing secret is named, with the command that stores it', async t => {
  const secrets = await secretsWith(t)
  const error = await t.throwsAsync(secrets.resolve('OTHER'), { code: 'not_found' })
  t.regex(error.message, /memory secrets set OTHER/u)
})

for (const reference of [
  'sk-live-0123',
  'https://user:pw@host',
  'local://',
  'env:',
  '',
  'local://a/b',
  '__proto__',
  'A B',
])
  test(`${JSON.stringify(reference)} is not a reference, and the error does not repeat it`, async t => {
    const secrets = await secretsWith(t)
    const error = await t.throwsAsync(secrets.resolve(reference), { code: 'validation_failed' })
    t.false(reference !== '' && error.message.includes(`${reference} `))
    t.notRegex(error.message, /sk-live|pw@host|__proto__/u)
  })

const resolve = (value: string) => resolveToken(async () => value, 'DISCORD_TOKEN', ['Bot'])

test('a token loses surrounding white space and a leading Bot', async t => {
  t.is(await resolve(' abc.def.ghi\n'), 'abc.def.ghi')
  t.is(await resolve('Bot abc.def.ghi'), 'abc.def.ghi')
})

test('an invalid token is refused by its reference and never repeated', async t => {
  for (const value of ['two words', 'ümlaut', 'a\u0000b', '  ', 'Bot', 'Bot a b']) {
    const error = await t.throwsAsync(resolve(value), {
      message: /the secret DISCORD_TOKEN does not contain a token/u,
    })
    if (value.trim().length > 3) t.false(error?.message.includes(value.trim()))
  }
})
