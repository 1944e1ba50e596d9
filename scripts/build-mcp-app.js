import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'
import { common, ownPackage } from './bundle.js'
import { bundledFiles } from './third-party-notices.js'

/**
 * Builds the browser of memories for MCP clients as one file. Its policy allows this script and this style
 * alone, and no network, whatever its host allows.
 * @param {string} root absolute
 * @param {string} outdir absolute
 * @returns {Promise<string[]>} package files whose text is included, relative to the root
 */
export async function buildMcpApp(root, outdir) {
  const result = await build({
    ...common,
    platform: 'browser',
    target: 'es2022',
    charset: 'ascii',
    format: 'iife',
    minify: true,
    write: false,
    outdir,
    entryPoints: [join(root, 'src', 'ui', 'mcp-app', 'main.tsx')],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    plugins: [ownPackage],
  })
  const textOf = end => result.outputFiles.find(({ path }) => path.endsWith(end)).text.trim()
  const script = textOf('.js').replaceAll('</script', '<\\/script')
  const style = textOf('.css')
  await writeFile(join(outdir, 'mcp-app.html'), pageOf(script, style))
  return bundledFiles(result)
}

function pageOf(script, style) {
  const policy = `default-src 'none'; script-src ${hashOf(script)}; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Memories</title>
<style>${style}</style>
</head>
<body>
<main><h1 class="unseen">Memories</h1><div id="page"></div></main>
<script>${script}</script>
</body>
</html>
`
}

function hashOf(text) {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}
