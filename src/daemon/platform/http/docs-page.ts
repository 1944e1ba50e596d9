import { endpoints } from '../../../contract/api.js'
import type { EndpointShape } from '../../../contract/ground/endpoint.js'

const style = `body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222}
table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.35rem .6rem;border-bottom:1px solid #ddd;vertical-align:top}
code{font:13px ui-monospace,monospace}.m{font-weight:600}@media(prefers-color-scheme:dark){body{background:#111;color:#ddd}td,th{border-color:#333}a{color:#8bf}}`

/** Renders the API as one page without scripts. */
export function docsPage(version: string): string {
  const rows = (endpoints as readonly EndpointShape[]).map(row).join('\n')
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>memory-service API</title><style>${style}</style></head>
<body><h1>memory-service API</h1>
<p>Version ${escapeHtml(version)}. Request and response schemas: <a href="/openapi.json">/openapi.json</a> (OpenAPI 3.1).
Errors are JSON: <code>{ "error", "code", "details" }</code>; every reply carries <code>x-request-id</code>.</p>
<table><thead><tr><th>Endpoint</th><th>What it does</th><th>Permission</th><th>Body fields</th></tr></thead><tbody>
${rows}
</tbody></table></body></html>
`
}

function row({ method, path, aliases = [], summary, permission, body }: EndpointShape): string {
  const addresses = [path, ...aliases].map(
    address => `<code><span class="m">${method}</span> ${escapeHtml(address)}</code>`,
  )
  const fields = Object.keys((body as { shape?: object } | undefined)?.shape ?? {})
  return `<tr><td>${addresses.join('<br>')}</td><td>${escapeHtml(summary)}</td><td>${permission}</td><td><code>${fields.map(escapeHtml).join(', ')}</code></td></tr>`
}

/** Returns a text that is safe between the tags of a page and in its quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/gu, character => `&#${character.charCodeAt(0)};`)
}
