import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { build } from 'esbuild'
import type { BrowserContext, FrameLocator } from 'playwright-core'
import { packageFile } from '../../src/lib/files/package-root.js'
import { type OpenPage, openPage } from './browser.js'

/** A client of MCP Apps for tests: the extension's own bridge, around a frame with only scripts allowed. */
export interface AppHost extends OpenPage {
  app: FrameLocator
  /** Names of the tools that the app called. */
  called: string[]
  /** Answers calls of tools in place of the server, while set. */
  instead: { answer?: ((name: string) => CallToolResult | undefined) | undefined }
}

interface HostOptions {
  html: string
  input?: Record<string, unknown>
  width?: number
  context?: Record<string, unknown>
  capabilities?: Record<string, unknown>
}

/** The policy that the extension demands of a host where a resource names no domains. */
const policy =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; " +
  "img-src 'self' data:; media-src 'self' data:; connect-src 'none'; frame-src 'self'"

const address = 'http://host.test/'

/** Opens an app as a client does: bridge, frame, greeting, arguments and result of the tool. */
export async function openApp(
  browser: BrowserContext,
  client: Client,
  options: HostOptions,
): Promise<AppHost> {
  const called: string[] = []
  const instead: AppHost['instead'] = {}
  const script = await hostScript()
  await browser.unroute(address)
  await browser.route(address, route =>
    route.fulfill({
      contentType: 'text/html; charset=utf-8',
      headers: { 'content-security-policy': policy },
      body: `<!doctype html><html lang="en"><title>Host</title><body></body><script>${script}</script></html>`,
    }),
  )
  const opened = await openPage(browser, address)
  const { page } = opened
  await page.setViewportSize({ width: options.width ?? 800, height: 900 })
  await page.exposeFunction('callTool', async (name: string, args: Record<string, unknown>) => {
    called.push(name)
    return instead.answer?.(name) ?? (await client.callTool({ name, arguments: args }))
  })
  const { html, input = {}, context = { theme: 'light' }, capabilities = { serverTools: {} } } = options
  await page.evaluate(
    `openApp(${JSON.stringify({ html, input, context, capabilities }).replaceAll('</', '<\\/')})`,
  )
  return { ...opened, app: page.frameLocator('iframe'), called, instead }
}

async function hostScript(): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: hostSource, resolveDir: packageFile() },
    bundle: true,
    write: false,
    minify: true,
    charset: 'ascii',
    format: 'iife',
    logLevel: 'error',
  })
  return (outputFiles[0]?.text ?? '').replaceAll('</script', '<\\/script')
}

const hostSource = `
import { AppBridge, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge'

console.debug = () => undefined
globalThis.openApp = async ({ html, input, context, capabilities }) => {
  const frame = document.createElement('iframe')
  frame.title = 'App'
  frame.sandbox.add('allow-scripts')
  frame.style = 'width: 100%; border: 0'
  const bridge = new AppBridge(null, { name: 'host', version: '1' }, capabilities, { hostContext: context })
  globalThis.bridge = bridge
  globalThis.sizes = []
  bridge.oncalltool = ({ name, arguments: args }) => callTool(name, args ?? {})
  bridge.onsizechange = ({ height }) => {
    sizes.push(height)
    frame.style.height = height + 'px'
  }
  const ready = new Promise(resolve => { bridge.oninitialized = resolve })
  document.body.append(frame)
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow))
  frame.srcdoc = html
  await ready
  await bridge.sendToolInput({ arguments: input })
}
`
