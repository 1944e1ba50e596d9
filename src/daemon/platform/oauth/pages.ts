import type { Permission } from '../../../contract/ground/endpoint.js'
import { lazy } from '../../../lib/concurrency/lazy.js'
import { packageText } from '../../../lib/files/package-root.js'
import { escapeHtml } from '../http/docs-page.js'

/** The meaning of each scope for the person who allows it. */
const meanings: Readonly<Record<Permission, string>> = {
  recall: 'read and search memories and conversations',
  remember: 'save memories',
  modify: 'change memories, sources and what is known',
  forget: 'forget memories',
  recover: 'restore forgotten memories',
  documents: 'read, add and remove documents',
  connectors: 'manage connectors',
  diagnostics: 'see the state of the daemon',
  analytics: 'see usage figures',
  relay: 'keep encrypted files of other machines here',
  admin: 'do everything an administrator can',
}

/** Pages have no scripts; their style is that of the web page. */
export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'",
}

export interface LoginQuestion {
  /** The name that the client gave itself. */
  client: string
  /** The host to which the person returns; undefined for a device. */
  returnsTo: string | undefined
  scopes: readonly string[]
  hasPassword: boolean
  /** Why the last try failed. */
  fault?: string
}

/** Asks for a credential of the team, and whether the client may use it. */
export function loginPage({ client, returnsTo, scopes, hasPassword, fault }: LoginQuestion): string {
  const wishes = scopes.map(scope => `<li>${escapeHtml(meanings[scope as Permission] ?? scope)}</li>`)
  const place = returnsTo === undefined ? 'a program on another device' : escapeHtml(returnsTo)
  return page(
    'Allow access',
    `${fault === undefined ? '' : `<p class="bad" role="alert">${escapeHtml(fault)}</p>`}
<p><strong>${escapeHtml(client)}</strong> (${place}) wants to use this memory. It may, as far as your credential may:</p>
<ul>${wishes.join('')}</ul>
<form method="post"><h2>With an API key</h2>
<label>API key<input name="key" type="password" autocomplete="off" required spellcheck="false"></label>
<button type="submit" name="decision" value="allow">Allow with the key</button></form>
${hasPassword ? passwordForm : ''}
<form method="post"><button type="submit" name="decision" value="deny">Deny</button></form>`,
  )
}

const passwordForm = `<form method="post"><h2>As the admin</h2>
<label>Name<input name="username" autocomplete="username" required></label>
<label>Password<input name="password" type="password" autocomplete="current-password" required></label>
<button type="submit" name="decision" value="allow">Allow with the password</button></form>`

/** Asks for the code that a device shows. @param form of the library, with a field for the code. */
export function codePage(form: string, fault?: string): string {
  return page(
    'Connect a device',
    `${fault === undefined ? '' : `<p class="bad" role="alert">${escapeHtml(fault)}</p>`}
<p>Enter the code that the device shows.</p>${withoutScript(form)}
<button type="submit" form="op.deviceInputForm">Continue</button>`,
  )
}

/** Lets the person compare the code with that of the device. */
export function confirmPage(form: string, client: string, code: string): string {
  return page(
    'Connect a device',
    `<p><strong>${escapeHtml(client)}</strong> shows this code, if it is your device: <code>${escapeHtml(code)}</code></p>
${form}<button type="submit" form="op.deviceConfirmForm" autofocus>It is the same</button>
<p class="dim">Otherwise close this page.</p>`,
  )
}

/** Tells the person that nothing is left to do, or why it failed. */
export function messagePage(title: string, text: string): string {
  return page(title, `<p>${escapeHtml(text)}</p>`)
}

function page(title: string, content: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} - Memory</title>${styleLink()}</head>
<body><main><section class="login"><h1>${title}</h1>
${content}
</section></main></body></html>
`
}

/** The style sheet of the web page, whose name has a hash. */
const styleLink = lazy((): string => {
  const index = packageText('dist', 'ui', 'index.html') ?? ''
  const [, address] = /<link rel="stylesheet"[^>]{0,100} href="([^"]+)"/u.exec(index) ?? []
  return address === undefined ? '' : `<link rel="stylesheet" href="${address}">`
})

function withoutScript(form: string): string {
  return form.replace(/ onfocus="[^"]*"/u, '')
}
