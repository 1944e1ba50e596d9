#!/usr/bin/env node
import { loadCached } from './load-cached.js'

const { main } = loadCached(new URL('../dist/mcp.cjs', import.meta.url))
// A call that still waits for the daemon must not keep a server that nobody listens to.
process.exit(await main(process.argv.slice(2)))
