import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import test from 'ava'
import { packageFile } from '../../../src/lib/files/package-root.js'
import { startDaemon } from '../../helpers/daemon.js'
import { rawAnswer } from '../../helpers/raw-http.js'
import { startTeam } from '../../helpers/team.js'

interface Built {
  file: string
  isEntry?: boolean
  imports?: string[]
  css?: string[]
}

const kibi = 1024
const page = (...parts: string[]): string => packageFile('dist', 'ui', ...parts)
const manifest = (): Record<string, Built> => JSON.parse(readFileSync(page('.vite', 'manifest.json'), 'utf8'))

test('the page is served without a credential, with a strict policy and no external content (web.md 1.1)', async t => {
  const { url } = await startTeam(t)
  const reply = await fetch(`${url}/ui/`)
  t.is(reply.status, 200)
  t.is(
    reply.headers.get('content-security-policy'),
    "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'",
  )
  t.is(reply.headers.get('cache-control'), 'no-cache')
  const html = await reply.text()
  t.notRegex(html, /https?:|<script>|<style|\son\w+=/u)
  const [, script = ''] = /<script[^>]* src="([^"]+)"/u.exec(html) ?? []
  t.regex(script, /^\/ui\/assets\/index-[\w-]{8}\.js$/u)
  const file = await fetch(url + script)
  t.is(file.headers.get('cache-control'), 'public, max-age=31536000, immutable')
  t.regex(file.headers.get('content-type') ?? '', /^(?:text|application)\/javascript/u)
  // The page's API requests need a credential.
  t.is((await fetch(`${url}/api/auth/whoami`)).status, 401)
})

test('files outside the page are not served (web.md 1.1)', async t => {
  const { url } = await startDaemon(t)
  for (const path of ['/', '/ui']) {
    const bare = await fetch(url + path, { redirect: 'manual' })
    t.deepEqual([bare.status, bare.headers.get('location')], [302, '/ui/'], path)
  }
  for (const path of ['nothing.js', '.vite/manifest.json', 'assets/', '..%2fdaemon.js', '%2e%2e/daemon.js']) {
    const reply = await fetch(`${url}/ui/${path}`)
    t.true(reply.status >= 400 && reply.status < 500, `${path}: ${reply.status}`)
    t.is(reply.headers.get('cache-control'), 'no-store', path)
  }
  t.regex(
    await rawAnswer(url, 'GET /ui/../daemon.js HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n'),
    /^HTTP\/1\.1 40[0-4]/u,
  )
  const foreign = await fetch(`${url}/ui/`, { headers: { origin: 'https://example.org' } })
  t.is(foreign.status, 403)
})

test('the first load is at most 60 KB, 110 with the graph (web.md 1.2)', t => {
  const built = manifest()
  const entry = Object.values(built).find(({ isEntry }) => isEntry)
  const first = sizeOf([...filesOf(entry, built), 'index.html'])
  t.true(first <= 60 * kibi, `the first load is ${first} bytes`)
  const knowledge = built['knowledge/page.tsx']
  for (const source of ['knowledge/graph.ts', 'knowledge/graph/draw-graph.ts']) {
    const graph = built[source]
    t.truthy(graph, source)
    const withGraph = sizeOf([entry, knowledge, graph].flatMap(one => filesOf(one, built)))
    t.true(withGraph <= 110 * kibi, `with ${source} it is ${withGraph} bytes`)
  }
})

/** A chunk with its static imports. */
function filesOf(one: Built | undefined, built: Readonly<Record<string, Built>>): string[] {
  if (!one) return []
  return [one.file, ...(one.css ?? []), ...(one.imports ?? []).flatMap(name => filesOf(built[name], built))]
}

function sizeOf(files: readonly string[]): number {
  return [...new Set(files)]
    .map(file => gzipSync(readFileSync(page(file))).length)
    .reduce((sum, size) => sum + size, 0)
}
