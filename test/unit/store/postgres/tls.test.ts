import { chownSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { execa } from 'execa'
import { StoreRefused } from '../../../../src/store/faults.js'
import { openPostgres } from '../../../../src/store/postgres/database.js'
import { connectionOf } from '../../../../src/store/postgres/settings.js'
import { askServer, type OwnServer, ownServer } from '../../../helpers/postgres.js'

const schema = 'memory'
const now = new Date('2026-01-01T00:00:00.000Z')

/** Makes a CA, and certificates that it or another one signs, in a folder. */
async function certificates(folder: string): Promise<(name: string) => string> {
  mkdirSync(folder)
  const file = (name: string): string => join(folder, name)
  const openssl = (...words: string[]) => execa('openssl', words, { cwd: folder })
  const elliptic = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  for (const ca of ['ca', 'other'])
    await openssl(
      ...['req', '-x509', ...elliptic, '-days', '2', '-subj', `/CN=${ca}`],
      ...['-keyout', `${ca}.key`, '-out', `${ca}.crt`],
    )
  const signed = async (name: string, subject: string, extension: string): Promise<void> => {
    writeFileSync(file(`${name}.ext`), extension)
    await openssl('req', ...elliptic, '-subj', subject, '-keyout', `${name}.key`, '-out', `${name}.csr`)
    await openssl(
      ...['x509', '-req', '-in', `${name}.csr`, '-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial'],
      ...['-days', '2', '-extfile', `${name}.ext`, '-out', `${name}.crt`],
    )
  }
  await signed('server', '/CN=localhost', 'subjectAltName=DNS:localhost')
  await signed('client', '/CN=certified', 'extendedKeyUsage=clientAuth')
  return file
}

/** Turns TLS on; the role `certified` needs a certificate. */
async function turnOn({ url, folder }: OwnServer, file: (name: string) => string): Promise<void> {
  const data = join(folder, 'data')
  const { uid, gid } = statSync(data)
  for (const [name, mode] of [
    ['server.key', 0o600],
    ['server.crt', 0o644],
    ['ca.crt', 0o644],
  ] as const) {
    writeFileSync(join(data, name), readFileSync(file(name)), { mode })
    chownSync(join(data, name), uid, gid)
  }
  const rules = join(data, 'pg_hba.conf')
  writeFileSync(rules, `hostssl all certified 127.0.0.1/32 cert\n${readFileSync(rules, 'utf8')}`)
  for (const setting of [`ssl_ca_file = 'ca.crt'`, 'ssl = on'])
    await askServer(url, `ALTER SYSTEM SET ${setting}`)
  await askServer(url, 'CREATE ROLE certified LOGIN SUPERUSER; SELECT pg_reload_conf()')
}

test('connections are encrypted and checked as libpq has it', async t => {
  const server = await ownServer(t)
  if (!server) return t.log('skipped: no programs of a server')
  const file = await certificates(join(server.folder, 'certificates'))
  const urlOf = (
    parameters: Record<string, string>,
    { host = 'localhost', role = 'memory' } = {},
  ): string => {
    const url = new URL(server.url)
    Object.assign(url, { hostname: host, username: role })
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
    return url.href
  }
  const encrypted = async (...[parameters, at]: Parameters<typeof urlOf>): Promise<boolean> => {
    const store = await openPostgres({ url: urlOf(parameters, at), schema }, now)
    try {
      await store.transaction(({ agents }) => agents.register('a', now.toISOString()))
      return (await store.server?.look())?.server.encrypted === true
    } finally {
      await store.close()
    }
  }
  const refused = async (message: RegExp, ...[parameters, at]: Parameters<typeof urlOf>): Promise<void> => {
    const error = await t.throwsAsync(encrypted(parameters, at), { instanceOf: StoreRefused })
    t.regex(error.message, message)
  }
  const [ca, other] = [file('ca.crt'), file('other.crt')]

  await refused(/turn on ssl in its postgresql\.conf, or use sslmode=disable/, { sslmode: 'require' })
  t.false(await encrypted({ sslmode: 'prefer' }))
  await turnOn(server, file)
  t.false(await encrypted({}))
  t.false(await encrypted({ sslmode: 'disable' }))
  t.true(await encrypted({ sslmode: 'prefer' }))
  t.true(await encrypted({ sslmode: 'require' }))
  t.true(await encrypted({ sslmode: 'verify-ca', sslrootcert: ca }, { host: '127.0.0.1' }))
  t.true(await encrypted({ sslmode: 'verify-full', sslrootcert: ca }))

  const wrongCa = /set sslrootcert to the file with the CA that signed the certificate/
  for (const sslmode of ['require', 'verify-ca', 'verify-full'])
    await refused(wrongCa, { sslmode, sslrootcert: other })
  await refused(wrongCa, { sslmode: 'verify-full' })
  await refused(
    /127\.0\.0\.1.*connect by a name of its certificate, or use sslmode=verify-ca/,
    { sslmode: 'verify-full', sslrootcert: ca },
    { host: '127.0.0.1' },
  )

  const role = 'certified'
  const [sslcert, sslkey] = [file('client.crt'), file('client.key')]
  t.true(await encrypted({ sslmode: 'verify-full', sslrootcert: ca, sslcert, sslkey }, { role }))
  await refused(
    /set sslcert and sslkey to the certificate of the role/,
    { sslmode: 'verify-full', sslrootcert: ca },
    { role },
  )
  await refused(
    /check that sslcert and sslkey belong together/,
    { sslmode: 'verify-full', sslrootcert: ca, sslcert, sslkey: file('other.key') },
    { role },
  )
})

test('a URL with unknown or missing parts of TLS says what is missing', t => {
  const of = (words: string) => () => connectionOf({ url: `postgres://h/d?${words}`, schema })
  t.throws(of('sslmode=verify_full'), {
    message: /choose one of disable, prefer, require, verify-ca, verify-full/,
  })
  t.throws(of('sslmode=verify-ca'), { message: /needs sslrootcert/ })
  t.throws(of('sslmode=verify-full&sslrootcert=/no/such/file'), {
    instanceOf: StoreRefused,
    message: /sslrootcert: .*\/no\/such\/file.*name a file that this user can read/,
  })
  t.deepEqual(of('sslmode=verify-full&sslrootcert=system')().ssl, { host: 'h' })
})
