import { join } from 'node:path'
import staticFiles from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import { webPage } from '../../../contract/platform/web-page.js'
import { isInside } from '../../../lib/is-inside.js'
import { packageFile } from '../../../lib/package-root.js'

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
  app.register(async scope => {
    await scope.register(staticFiles, {
      root: files,
      serve: false,
      dotfiles: 'ignore',
      cacheControl: false,
      suppressWarning: true,
      setHeaders: (reply, path) => {
        reply.header('content-security-policy', contentSecurityPolicy)
        reply.header('cache-control', isInside(hashedFiles, path) ? forEver : asksAgain)
      },
    })
    const config = { endpoint: webPage }
    scope.get('/ui', { config }, (_request, reply) => reply.redirect('/ui/'))
    scope.get<{ Params: { '*': string } }>('/ui/*', { config }, ({ params: { '*': path } }, reply) =>
      isOfThePage(path) ? reply.sendFile(path || 'index.html') : reply.callNotFound(),
    )
  })
}

/** What leads elsewhere, `..` or its like, is never looked for. */
function isOfThePage(path: string): boolean {
  return /^(?:index\.html|assets\/[\w-]+\.\w+)?$/u.test(path)
}
