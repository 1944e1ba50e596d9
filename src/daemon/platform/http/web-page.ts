import { join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { webPage } from '../../../contract/platform/web-page.js'
import { isInside } from '../../../lib/files/folders.js'
import { packageFile } from '../../../lib/files/package-root.js'

const files = packageFile('dist', 'ui')
/** File names contain a hash of the content, so a new build never meets an old copy. */
const hashedFiles = join(files, 'assets')
const forEver = 'public, max-age=31536000, immutable'
const asksAgain = 'no-cache'

/** Only our own scripts and styles: no inline ones, no frames, nothing from other hosts. */
const contentSecurityPolicy = [
  "default-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "object-src 'none'",
].join('; ')

/**
 * Serves the files of the web page, built with `npm run build` (web.md 1.1). They contain no data of the
 * workspace: the page requests everything from the API with its user's credential.
 */
export function registerWebPage(app: FastifyInstance): void {
  const config = { endpoint: webPage }
  // A person who types only the daemon's address wants the page.
  for (const path of ['/', '/ui']) app.get(path, { config }, (_request, reply) => reply.redirect('/ui/'))
  app.get<{ Params: { '*': string } }>('/ui/*', { config }, (request, reply) => {
    const { '*': path } = request.params
    return isPagePath(path) ? sendFile(request, reply, path || 'index.html') : reply.callNotFound()
  })
}

/** Also handles cache requests (`If-None-Match`) and ranges. */
async function sendFile({ raw }: FastifyRequest, reply: FastifyReply, path: string): Promise<unknown> {
  // Loaded by the first request, since most daemons never serve the page.
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

/** Rejects paths such as `..` before any file is looked up. */
function isPagePath(path: string): boolean {
  return /^(?:index\.html|assets\/[\w-]+(?:\.[\w-]+)+)?$/u.test(path)
}
