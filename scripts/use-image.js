/**
 * use-image.js FILE: starts the image that run-dockerfile.js made, and checks its promises. It is one healthy
 * process of another user than root, refuses callers without a key, ends by its signal, and then starts again
 * with the same memories.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

const image = JSON.parse(readFileSync(process.argv[2], 'utf8'))
const port = await freePort()
const env = {
  PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin',
  HOME: '/home/node',
  ...image.env,
  SERVICE_PORT: String(port),
}
const url = `http://127.0.0.1:${port}`
const limitMs = 60_000
/** The daemon's log, which is shown after a failure only. */
const log = []

async function freePort() {
  const server = createServer().listen(0)
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  return port
}

function check(holds, what) {
  if (!holds) throw new Error(what)
  console.log(`ok  ${what}`)
}

const inImage = (words, root = image.root) => ['chroot', [`--userspec=${image.user}`, root, ...words]]

function run(words) {
  const [program, rest] = inImage(words)
  return execFileSync(program, rest, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 2] })
}

const isHealthy = () => {
  try {
    run(image.health)
    return true
  } catch {
    return false
  }
}

async function started() {
  const [program, rest] = inImage(image.command)
  const child = spawn(program, rest, { env, stdio: ['ignore', 'ignore', 'pipe'] })
  child.stderr.on('data', text => log.push(text))
  const end = Date.now() + limitMs
  while (!isHealthy()) {
    if (child.exitCode !== null || Date.now() > end) throw new Error('the daemon does not become healthy')
    await delay(200)
  }
  return child
}

async function stopped(child) {
  const began = performance.now()
  child.kill(image.stopSignal)
  const [code, signal] = await once(child, 'exit')
  check(
    code === 0 && signal === null,
    `${image.stopSignal} ends it with 0, in ${Math.round(performance.now() - began)} ms`,
  )
}

/** Processes whose parent is this one. */
function childrenOf(pid) {
  return readdirSync('/proc')
    .filter(name => /^\d+$/u.test(name))
    .filter(name => {
      try {
        return (
          readFileSync(join('/proc', name, 'stat'), 'utf8')
            .split(') ')[1]
            .split(' ')[1] === String(pid)
        )
      } catch {
        return false
      }
    })
}

async function call(method, path, { key, body } = {}) {
  const reply = await fetch(`${url}${path}`, {
    method,
    headers: { ...(key && { authorization: `Bearer ${key}` }), 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  return { status: reply.status, body: await reply.json() }
}

mkdirSync(join(image.root, 'proc'), { recursive: true })
execFileSync('mount', ['-t', 'proc', 'proc', join(image.root, 'proc')])
let daemon
try {
  daemon = await started()
  check(
    image.port === 3850 && image.volumes.includes('/data'),
    'the port is exposed, and the workspace is a volume',
  )
  const { Uid: uid } = Object.fromEntries(
    readFileSync(`/proc/${daemon.pid}/status`, 'utf8')
      .split('\n')
      .map(line => line.split(/:\s+/u)),
  )
  check(!uid.split('\t').includes('0'), `it runs as user ${uid.split('\t')[0]}`)
  check(childrenOf(daemon.pid).length === 0, 'it is one process')
  const body = { content: 'The crane is parked in hall nine' }
  check(
    (await call('POST', '/api/memory/remember', { body })).status === 401,
    'without a key nothing is saved',
  )
  const { key } = JSON.parse(
    run(['memory', 'api-key', 'create', '--name', 'test', '--role', 'operator', '--json']),
  )
  check(
    (await call('POST', '/api/memory/remember', { key, body })).status === 200,
    'with a key a memory is saved',
  )
  await stopped(daemon)
  daemon = await started()
  const { body: found } = await call('POST', '/api/memory/recall', {
    key,
    body: { query: 'where is the crane' },
  })
  check(found.results?.[0]?.content === body.content, 'after another start it is recalled')
  await stopped(daemon)
} catch (error) {
  console.error(Buffer.concat(log).toString('utf8'))
  throw error
} finally {
  daemon?.kill('SIGKILL')
  execFileSync('umount', ['--lazy', join(image.root, 'proc')])
}
