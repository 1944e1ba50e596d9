import { join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { webPage } from '../../../contract/platform/web-page.js'
import { isInside } from '../../../lib/files/is-inside.js'
import { packageFile } from '../../../lib/files/package-root.js'

const files = packageFile('dist', 'ui')
/** Their names are made of what they hold, so that a new build never meets an old copy. */
const hashedFiles = join(files, 'assets')
const forEver = 'public, max-age=31536000, immutable'
const asksAgain = 'no-cache'

/** Scripts and styles of our own only, none that stand in a page, no frames, and nothing from elsewhere. */
const contentSecurityPolicy = [
  "default-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "object-src 'none'",
].join('; ')

/**
 * Serves the files of the web page, which `npm run build` makes (web.md 1.1). They hold nothing of the workspace: what
 * the page shows it asks for by the API, with the credential of whoever looks at it.
 */
export function registerWebPage(app: FastifyInstance): void {
  const config = { endpoint: webPage }
  // Whoever types the address of the daemon alone looks for the page.
  for (const path of ['/', '/ui']) app.get(path, { config }, (_request, reply) => reply.redirect('/ui/'))
  app.get<{ Params: { '*': string } }>('/ui/*', { config }, (request, reply) => {
    const { '*': path } = request.params
    return isOfThePage(path) ? sendFile(request, reply, path || 'index.html') : reply.callNotFound()
  })
}

/** Also what a cache asks (`If-None-Match`), and ranges. */
async function sendFile({ raw }: FastifyRequest, reply: FastifyReply, path: string): Promise<unknown> {
  // Loaded by the first request: most daemons start for something else.
  const { default: send } = await import('@fastify/send')
  const file = await send(raw, path, { root: files, dotfiles: 'ignore', cacheControl: false })
  if (file.type === 'error' && file.statusCode !== 404) throw file.metadata.error
  if (file.type !== 'file') return reply.callNotFound()
  return reply
    .code(file.statusCode)
    .headers(file.headers)
    .header('content-security-policy', contentSecurityPolicy)
    .header('cache-control', isInside(hashedFiles, join(files, path)) ? forEver : asksAgain)
    .send(file.stream)
}

/** What leads elsewhere, `..` or its like, is never looked for. */
function isOfThePage(path: string): boolean {
  return /^(?:index\.html|assets\/[\w-]+\.\w+)?$/u.test(path)
}
