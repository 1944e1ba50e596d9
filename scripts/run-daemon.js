import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** On a busy machine a start takes many times longer than on a quiet one. */
const longestMs = 300_000

/** @param work receives a new folder, which is removed afterwards. */
export async function inTemporaryWorkspace(work) {
  const workspace = await mkdtemp(join(tmpdir(), 'memory-service-build-'))
  try {
    return await work(workspace)
  } finally {
    await rm(workspace, { recursive: true, force: true })
  }
}

/**
 * Runs a daemon bundle without a code cache until it is up and `whenReady` has finished.
 * @param {{ bundle: string, workspace: string, whenReady: string }} options `whenReady` is program text that
 * can use `ask(requests)` and `save()`, which writes the daemon's code cache.
 * @throws when a request or the daemon fails.
 */
export async function runDaemon(root, { bundle, workspace, whenReady }) {
  const inBin = name => JSON.stringify(pathToFileURL(join(root, 'bin', name)).href)
  // A program with --input-type could start no thread: threads get the flags of their process.
  const program = `const { readFileSync } = require('node:fs')
    void (async () => {
    const { loadDaemon } = await import(${inBin('load-daemon.js')})
    const url = new URL(${JSON.stringify(pathToFileURL(bundle).href)})
    const ask = async requests => {
      const { port } = JSON.parse(readFileSync(${JSON.stringify(join(workspace, '.daemon', 'daemon.json'))}, 'utf8'))
      for (const [method, path, body] of requests) {
        const headers = { 'content-type': 'application/json' }
        const init = body ? { method, headers, body: JSON.stringify(body) } : { method }
        const answer = await fetch('http://127.0.0.1:' + port + path, init)
        if (!answer.ok) throw new Error(path + ' answered ' + answer.status + ': ' + (await answer.text()))
      }
    }
    loadDaemon(url, async (exports, save) => {
      await exports.started
      ${whenReady}
      // Not kill: on Windows that ends a process without a word to it.
      process.emit('SIGTERM')
    })
    })()`
  const child = spawn(process.execPath, ['--eval', program], {
    env: {
      ...process.env,
      SERVICE_WORKSPACE: workspace,
      SERVICE_PORT: '0',
      SERVICE_HOST: '127.0.0.1',
      SERVICE_EMBEDDING_DOWNLOAD: '0',
      SERVICE_EMBEDDING_PROVIDER: 'static',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: longestMs,
  })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`the daemon of ${bundle} ended with ${code} in the build`)
}
