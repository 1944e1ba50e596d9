/**
 * The web page that the daemon serves below `/ui/` (docs/web.md).
 *
 * Each folder with a `page.tsx` is one page; `pages.ts` lists them, `parts/` has the components that they
 * share, `api/` calls the daemon, `routing/` reads the address. It is a client of the HTTP API like any
 * other and runs in a browser. It imports only types of `src/contract`, and only the files of `src/lib` that
 * need no Node. It fetches nothing from other servers.
 */

import { render } from 'preact'
import { App } from './app.js'

const root = document.getElementById('page')
if (root) render(<App />, root)
