import type { ApiFaultKind } from '../../../ground/fetch/api-fault.js'
import { type Exchanged, placeOf } from '../../../ground/fetch/exchange.js'
import { GithubFault } from './github-fault.js'

export interface Refusal extends Pick<Exchanged, 'status' | 'url' | 'headers'> {
  /** What GitHub says, on one line and without the token. */
  message: string
  hasToken: boolean
}

const kinds: Readonly<Record<number, ApiFaultKind>> = {
  401: 'unauthorized',
  403: 'forbidden',
  404: 'missing',
  410: 'missing',
}

/** What an error status means, and what to do about it. */
export function refusalOf(refusal: Refusal): GithubFault {
  const { status, url, message } = refusal
  const said = message === '' ? '' : ` (${message})`
  const kind = status >= 500 ? 'unreachable' : (kinds[status] ?? 'refused')
  const guidance = guidanceOf(refusal)
  return new GithubFault(kind, `${placeOf(url)} answered ${status}${said}`, {
    status,
    ...(guidance && { guidance }),
  })
}

function guidanceOf({ status, headers, hasToken }: Refusal): string | undefined {
  if (status === 401)
    return 'the token is wrong, expired or revoked: make a new one and store it with memory secrets set'
  if (status === 403 && headers['x-github-sso'] !== undefined)
    return 'the organisation wants the token authorised for single sign-on: open its settings on GitHub'
  if (status === 403)
    return hasToken
      ? 'give the token read access to issues, pull requests, contents and discussions of this repository'
      : withToken
  if (status === 404)
    return hasToken
      ? `${lookAtName}; the token needs read access to this repository`
      : `${lookAtName}; ${privateRepo}`
  return undefined
}

const withToken = 'give it a token: memory sources add github OWNER/REPO --token-ref NAME'
const lookAtName = 'look at the name'
const privateRepo = `a private repository needs a token: memory sources add github OWNER/REPO --token-ref NAME`
