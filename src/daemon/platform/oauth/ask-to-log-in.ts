import type { IncomingMessage, ServerResponse } from 'node:http'
import type { InteractionResults, Provider } from 'oidc-provider'
import { AppError } from '../../../contract/ground/errors.js'
import type { Ground } from '../../ground/ground.js'
import type { Auth } from '../auth/auth.js'
import { accountOfAdmin, accountOfKey, type LoginAccount } from '../auth/login-account.js'
import { networkOf } from '../auth/loopback.js'
import { allScopes } from '../auth/public-address.js'
import { type LoginQuestion, loginPage, messagePage, pageHeaders } from './pages.js'

interface Asking {
  provider: Provider
  deps: Pick<Ground, 'store' | 'clock' | 'log'> & { auth: Auth }
  request: IncomingMessage
  response: ServerResponse
}

type Details = Awaited<ReturnType<Provider['interactionDetails']>>

const maxFormBytes = 8192

/** Shows the page of a login, and takes the person's answer: a credential and the consent in one form. */
export async function askToLogIn(asking: Asking): Promise<void> {
  const { provider, request, response } = asking
  try {
    const details = await provider.interactionDetails(request, response)
    if (request.method !== 'POST')
      return sendPage(response, 200, loginPage(await questionOf(asking, details)))
    await answer(asking, details, await formOf(request))
  } catch (error) {
    // The library's only error here is a login that is over, or of another browser.
    if ((error as { error?: unknown }).error === undefined && !(error instanceof AppError)) throw error
    sendPage(
      response,
      400,
      messagePage('This login failed', 'It has expired. Start it again in your program.'),
    )
  }
}

async function answer(asking: Asking, details: Details, form: URLSearchParams): Promise<void> {
  const { provider, deps, request, response } = asking
  const finish = (result: InteractionResults) =>
    provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false })
  if (form.get('decision') !== 'allow')
    return finish({ error: 'access_denied', error_description: 'the person denied it' })
  const peer = request.socket.remoteAddress
  try {
    const account = await accountOf(deps, form, peer)
    if (!account) throw new AppError('invalid_credentials', 'The credential is not valid.')
    const { clientId, scopes, resources } = wishesOf(details)
    const granted = scopes.filter(scope => account.permissions.some(permission => permission === scope))
    const grant = new provider.Grant({ accountId: account.id, clientId })
    grant.addOIDCScope(granted.join(' '))
    // The library would ask again for scopes that nobody decided on.
    const refused = scopes.filter(scope => !granted.includes(scope))
    if (refused.length > 0) grant.rejectOIDCScope(refused.join(' '))
    for (const resource of resources) {
      grant.addResourceScope(resource, granted.join(' '))
      if (refused.length > 0) grant.rejectResourceScope(resource, refused.join(' '))
    }
    const grantId = await grant.save()
    deps.log.info({ audit: 'login', actor: account.name, peer, scopes: granted }, 'logged in over OAuth')
    await finish({ login: { accountId: account.id, remember: false }, consent: { grantId } })
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    deps.log.warn({ audit: 'login-failed', code: error.code, peer }, 'a login over OAuth was refused')
    const question = await questionOf(asking, details)
    sendPage(response, error.status, loginPage({ ...question, fault: error.message }))
  }
}

/** @throws AppError `rate_limited` after too many wrong passwords */
async function accountOf(
  deps: Asking['deps'],
  form: URLSearchParams,
  peer: string | undefined,
): Promise<LoginAccount | undefined> {
  const { auth } = deps
  const key = form.get('key')?.trim()
  if (key) return accountOfKey(deps, key)
  const known = auth.passwordLogin()
  if (!known) return undefined
  if (auth.mode() !== 'local') auth.limiter.take('login', `address ${networkOf(peer ?? '')}`)
  const succeeded = auth.logins.begin(peer)
  if (!(await known.verify(form.get('username') ?? '', form.get('password') ?? ''))) return undefined
  succeeded()
  return accountOfAdmin(deps)
}

async function questionOf({ provider, deps }: Asking, details: Details): Promise<LoginQuestion> {
  const { clientId, scopes, redirectUri } = wishesOf(details)
  const client = await provider.Client.find(clientId)
  return {
    client: client?.clientName ?? clientId,
    returnsTo: redirectUri && new URL(redirectUri).host,
    scopes: scopes.filter(scope => allScopes.includes(scope)),
    hasPassword: deps.auth.passwordLogin() !== undefined,
  }
}

function wishesOf({ params }: Details) {
  const { client_id: clientId, redirect_uri: redirectUri, scope, resource } = params
  return {
    clientId: String(clientId),
    redirectUri: typeof redirectUri === 'string' ? redirectUri : undefined,
    scopes: String(scope ?? '')
      .split(' ')
      .filter(Boolean),
    resources: [resource].flat().map(String),
  }
}

async function formOf(request: IncomingMessage): Promise<URLSearchParams> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += (chunk as Buffer).length
    if (bytes > maxFormBytes) throw new AppError('payload_too_large', 'The form is too large.')
    chunks.push(chunk as Buffer)
  }
  return new URLSearchParams(Buffer.concat(chunks).toString('utf8'))
}

function sendPage(response: ServerResponse, status: number, html: string): void {
  response.writeHead(status, pageHeaders).end(html)
}
