// runs: in turn

import { createInterface } from 'node:readline'
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import test, { type ExecutionContext } from 'ava'
import { type AppHost, openApp } from '../helpers/app-host.js'
import { axeFindings, browserTest, sharedBrowser } from '../helpers/browser.js'
import { startDaemon, type TestDaemon } from '../helpers/daemon.js'
import { until } from '../helpers/daemon-process.js'
import { connectHttp, spawnStdio } from '../helpers/mcp.js'

const browser = sharedBrowser()
const mostBytes = 60_000

test('over stdio the browser is offered to a client that announces it, without a daemon', async t => {
  const namesFor = async (capabilities: object) => {
    const server = spawnStdio(t, { SERVICE_NO_AUTOSTART: '1' })
    const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]()
    const ask = async (method: string, params: object = {}) => {
      server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })}\n`)
      return JSON.parse((await lines.next()).value)
    }
    const clientInfo = { name: 'test', version: '1' }
    const { result } = await ask('initialize', { protocolVersion: '2025-11-25', capabilities, clientInfo })
    const { tools } = (await ask('tools/list')).result
    const read = await ask('resources/read', { uri: 'ui://memory/browser' })
    return {
      hasTool: tools.some(({ name }: { name: string }) => name === 'memory_browse'),
      hasResources: 'resources' in result.capabilities,
      text: read.result?.contents[0].text.slice(0, 15) ?? read.error.code,
    }
  }
  const extensions = { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } }
  t.deepEqual(await namesFor({ extensions }), {
    hasTool: true,
    hasResources: true,
    text: '<!doctype html>',
  })
  t.deepEqual(await namesFor({}), { hasTool: false, hasResources: false, text: -32601 })
})

async function htmlOf(client: Client): Promise<string> {
  const [content] = (await client.readResource({ uri: 'ui://memory/browser' })).contents
  return content && 'text' in content ? content.text : ''
}

async function open(
  t: ExecutionContext,
  daemon: TestDaemon,
  options: Partial<Parameters<typeof openApp>[2]> = {},
): Promise<AppHost> {
  const client = await connectHttp(t, daemon.url, { query: '?tools=core&apps' })
  return openApp(await browser(), client, { html: await htmlOf(client), ...options })
}

test('the browser of memories is one small file without addresses', async t => {
  const client = await connectHttp(t, (await startDaemon(t)).url, { query: '?apps' })
  const html = await htmlOf(client)
  t.log(`${html.length} bytes`)
  t.true(html.length < mostBytes, `${html.length} bytes`)
  t.notRegex(html, /<(?:link|img|script) [^>]*(?:src|href)=/u)
  t.notRegex(html, /\b(?:fetch|XMLHttpRequest|WebSocket|EventSource)\(/u)
})

browserTest('search, open, pin, forget and undo inside a client', async t => {
  const daemon = await startDaemon(t)
  const tea = await daemon.remember('Tea is green in the north', { tags: 'drinks,north' })
  await daemon.remember('The pump is owned by Ann Keller')
  const { page, app, called, complaints, asked } = await open(t, daemon, { input: { query: 'tea' } })
  const item = app.getByRole('listitem').filter({ hasText: 'Tea is green' })
  await item.waitFor()
  const field = app.getByRole('searchbox', { name: 'Search memories' })
  t.is(await field.inputValue(), 'tea')
  await field.fill('')
  await field.press('Enter')
  await app.getByText('2 memories').waitFor()
  // All by keyboard: the item, then its buttons.
  await item.getByRole('button', { name: 'Tea is green' }).focus()
  await page.keyboard.press('Enter')
  await item.getByText('drinks', { exact: true }).waitFor()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await item.getByRole('button', { name: 'Unpin' }).waitFor()
  const pinned = async () => (await daemon.call('GET /api/memory/:id', { params: { id: tea } })).body.pinned
  t.is(await pinned(), 1)
  t.true(await item.getByRole('button', { name: 'Forget' }).isDisabled())
  await item.getByRole('button', { name: 'Unpin' }).click()
  await item.getByRole('button', { name: 'Pin', exact: true }).waitFor()
  t.is(await pinned(), 0)
  await item.getByRole('button', { name: 'Forget' }).click()
  await item.getByText('Forgotten.').waitFor()
  t.true(await item.getByText('Tea is green').isVisible())
  const count = async () => (await daemon.call('GET /api/memories')).body.matching
  t.is(await count(), 1)
  // The focus is on Undo.
  await page.keyboard.press('Enter')
  await item.getByRole('button', { name: 'Forget' }).waitFor()
  t.is(await count(), 2)
  t.deepEqual([...new Set(called)].sort(), [
    'memory_browse',
    'memory_forget',
    'memory_get',
    'memory_pin',
    'memory_recover',
  ])
  t.deepEqual(complaints, [])
  t.deepEqual(
    asked.filter(url => url !== 'http://host.test/'),
    [],
  )
})

browserTest(
  'the colours are those of the host, also when they change; 390 px wide nothing is cut',
  async t => {
    const daemon = await startDaemon(t)
    await daemon.remember(`A long line: ${'herons wade in shallow water and '.repeat(20)}`)
    const { page, app } = await open(t, daemon, { width: 390, context: { theme: 'dark' } })
    const item = app.getByRole('listitem')
    await item.getByRole('button').first().click()
    await item.getByRole('button', { name: 'Forget' }).waitFor()
    const frame = page.frames()[1]!
    // The policy of the frame lets no script of the browser's driver poll there.
    const holds = (expression: string) => until(() => frame.evaluate<boolean>(expression))
    const ground = () => frame.evaluate('getComputedStyle(document.documentElement).backgroundColor')
    t.is(await ground(), 'rgb(21, 23, 27)')
    await page.evaluate('bridge.setHostContext({ theme: "light" })')
    await holds('document.documentElement.style.colorScheme === "light"')
    t.is(await ground(), 'rgb(255, 255, 255)')
    t.true(await frame.evaluate('document.documentElement.scrollWidth <= innerWidth'))
    await holds('document.documentElement.scrollHeight <= innerHeight')
    for (const theme of ['light', 'dark']) {
      await page.evaluate(`bridge.setHostContext({ theme: '${theme}' })`)
      await holds(`document.documentElement.style.colorScheme === '${theme}'`)
      t.deepEqual(await axeFindings(frame as never), [], theme)
    }
  },
)

browserTest('errors say what to do, and go with the next try', async t => {
  const daemon = await startDaemon(t)
  await daemon.remember('Tea is green')
  const { app, instead } = await open(t, daemon)
  await app.getByText('Tea is green').first().waitFor()
  const failed = (text: string) => ({ isError: true, content: [{ type: 'text' as const, text }] })
  const item = app.getByRole('listitem')
  await item.getByRole('button').first().click()
  await item.getByRole('button', { name: 'Forget' }).waitFor()
  instead.answer = () => failed('writes are frozen (mutations_frozen)\nTell the user.')
  await item.getByRole('button', { name: 'Forget' }).click()
  const alert = app.getByRole('alert')
  await alert.getByText('writes are frozen').waitFor()
  t.regex((await alert.textContent()) ?? '', /Tell the user/u)
  await app.getByRole('button', { name: 'Search' }).click()
  await app.getByRole('button', { name: 'Try again' }).waitFor()
  // The list stays below the error.
  t.is(await app.getByRole('listitem').count(), 1)
  instead.answer = undefined
  await app.getByRole('button', { name: 'Try again' }).click()
  await item.getByRole('button', { name: 'Forget' }).click()
  await item.getByText('Forgotten.').waitFor()
  t.is(await alert.count(), 0)
})

browserTest('a client that lets apps call no tools, and an empty memory, are said in words', async t => {
  const daemon = await startDaemon(t)
  const empty = await open(t, daemon)
  await empty.app.getByText('No memories yet').waitFor()
  const deaf = await open(t, daemon, { capabilities: {} })
  await deaf.app.getByText('does not let the browser call tools').waitFor()
  t.deepEqual(deaf.called, [])
})
