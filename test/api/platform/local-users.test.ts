// runs: in turn

import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import test, { type ExecutionContext } from 'ava'
import { startDaemon } from '../../helpers/daemon.js'

const isRoot = process.platform === 'linux' && process.getuid?.() === 0
/** Only root may start a program as another user. */
const asOthers = isRoot ? test : test.skip
const nobody = 65_534

/** Sends a request as another user of this machine. @returns status and body */
function askAs(uid: number, url: string, words: readonly string[] = []): Promise<[number, string]> {
  return new Promise((resolve, reject) => {
    const args = ['-s', '-w', '\n%{http_code}', ...words, url]
    execFile('curl', args, { uid, gid: uid, cwd: '/', env: { PATH: process.env.PATH } }, (error, stdout) => {
      if (error) return reject(error)
      const at = stdout.lastIndexOf('\n')
      resolve([Number(stdout.slice(at + 1)), stdout.slice(0, at)])
    })
  })
}

const save = ['-X', 'POST', '-H', 'content-type: application/json', '-d', '{"content":"not mine"}']

asOthers('mode local refuses another user of the machine, and serves its own', async t => {
  const { url, remember, call, paths } = await startDaemon(t)
  await remember('my therapist is Dr. Plum')
  const [status, body] = await askAs(nobody, `${url}/api/memories`)
  t.is(status, 403)
  t.like(JSON.parse(body), { code: 'other_user' })
  t.regex(body, /API key.*auth\.mode: team.*auth\.localUsers: any/)
  t.is((await askAs(nobody, `${url}/api/memory/remember`, save))[0], 403)
  t.is((await askAs(nobody, `${url}/api/hooks/harness/claude-code/session-start`, save))[0], 403)
  t.is((await askAs(nobody, `${url}/mcp`, save))[0], 403)
  // A connection is looked up once; the refusal holds for its later requests.
  const twice = await askAs(nobody, `${url}/api/memories`, [`${url}/api/memories`])
  t.is(twice[0], 403)

  const [alive, health] = await askAs(nobody, `${url}/health`)
  t.is(alive, 200)
  t.false(health.includes(paths.root), health)
  t.is((await call('GET /health')).body.workspace, paths.root)
  t.is((await call('GET /api/memories')).body.matching, 1)
})

asOthers('an API key lets another user in, with its own rights', async t => {
  const { url, call } = await startDaemon(t)
  const { body } = await call('POST /api/auth/keys', { body: { name: 'bob', role: 'readonly' } })
  const { key } = body
  const withKey = ['-H', `authorization: Bearer ${key}`]
  t.is((await askAs(nobody, `${url}/api/memories`, withKey))[0], 200)
  t.is((await askAs(nobody, `${url}/api/memory/remember`, [...withKey, ...save]))[0], 403)
  const wrong = ['-H', 'authorization: Bearer svc_sk_wrong']
  t.is((await askAs(nobody, `${url}/api/memories`, wrong))[0], 401)
})

asOthers('auth.localUsers: any lets every user in', async t => {
  const { url } = await startDaemon(t, { settings: { auth: { localUsers: 'any' } } })
  t.is((await askAs(nobody, `${url}/api/memories`))[0], 200)
})

asOthers('the instance id proves the owner, whatever the user of the process', async t => {
  const { url, paths } = await startDaemon(t)
  const proof = ['-H', `x-service-instance: ${readFileSync(paths.instance, 'utf8').trim()}`]
  t.is((await askAs(nobody, `${url}/api/memories`, proof))[0], 200)
})

test('auth.localUsers: own asks every caller without a key for the instance id', async t => {
  const { url, paths } = await startDaemon(t, { settings: { auth: { localUsers: 'own' } } })
  const instance = readFileSync(paths.instance, 'utf8').trim()
  const ask = async (path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(`${url}${path}`, { headers })
    return [response.status, await response.text()] as const
  }
  const [status, body] = await ask('/api/memories')
  t.is(status, 401)
  t.regex(body, /x-service-instance/)
  t.false((await ask('/health'))[1].includes(paths.root))
  t.is((await ask('/api/memories', { 'x-service-instance': instance }))[0], 200)
  t.is((await ask('/api/memories', { 'x-service-instance': 'f'.repeat(64) }))[0], 421)
  await hookIsServed(t, url, instance)
})

/** The daemon calls its own API for a hook, on behalf of the same caller. */
async function hookIsServed(t: ExecutionContext, url: string, instance: string): Promise<void> {
  const response = await fetch(`${url}/api/hooks/harness/claude-code/session-start`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-service-instance': instance },
    body: JSON.stringify({ session_id: 's', source: 'startup', cwd: '/' }),
  })
  t.is(response.status, 200)
  t.regex(await response.text(), /memory/)
}
