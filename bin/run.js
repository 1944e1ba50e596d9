#!/usr/bin/env node
import { loadCached } from './load-cached.js'

const { main } = loadCached(new URL('../dist/cli.cjs', import.meta.url))
await main(process.argv.slice(2))
