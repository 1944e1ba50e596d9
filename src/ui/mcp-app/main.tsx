/**
 * The browser of memories inside MCP clients that show HTML (docs/mcp.md): one file without network, made of
 * the page's parts. It reaches the daemon only by tools that its client calls.
 */

import { effect } from '@preact/signals'
import { render } from 'preact'
import { version } from '../../../package.json'
import { Browser } from './browser.js'
import { connectHost, hostContext } from './host.js'
import './mcp-app.css'

effect(() => {
  const { theme, safeAreaInsets: room } = hostContext.value
  document.documentElement.style.colorScheme = theme ?? 'light dark'
  if (room) document.body.style.padding = `${room.top}px ${room.right}px ${room.bottom}px ${room.left}px`
})

const root = document.getElementById('page')
if (root) render(<Browser connect={() => connectHost(version)} />, root)
