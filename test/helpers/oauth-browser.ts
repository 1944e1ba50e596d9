import type { ExecutionContext } from 'ava'

/** A browser as far as a login needs one: cookies, redirects within the daemon, and forms. */
export interface LoginBrowser {
  /**
   * Opens an address, fills in the form of the login page, and follows to the client's own address.
   * @returns that address with the answer in its query.
   */
  logIn(address: URL | string, form: Readonly<Record<string, string>>): Promise<URL>
  /** Opens the address that a device shows and confirms its code. @returns the page of the login */
  confirmDevice(address: string): Promise<Page>
  /** Loads one page, or posts a form to it. */
  open(address: URL | string, form?: Readonly<Record<string, string>>): Promise<Page>
}

export interface Page {
  url: URL
  status: number
  html: string
}

const maxRedirects = 10

/** Creates a browser without cookies for a daemon. */
export function loginBrowser(t: ExecutionContext, origin: string): LoginBrowser {
  const cookies = new Map<string, string>()
  const ask = async (url: URL, body?: URLSearchParams): Promise<Response> => {
    const response = await fetch(url, {
      method: body ? 'POST' : 'GET',
      redirect: 'manual',
      headers: {
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(body && { origin: url.origin }),
      },
      ...(body && { body }),
    })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/u.exec(line) ?? []
      if (value === '') cookies.delete(name)
      else cookies.set(name, value)
    }
    return response
  }
  const open: LoginBrowser['open'] = async (address, form) => {
    let url = new URL(address)
    let body = form && new URLSearchParams(form)
    for (let step = 0; step < maxRedirects; step += 1) {
      const response = await ask(url, body)
      const next = response.headers.get('location')
      if (next === null) return { url, status: response.status, html: await response.text() }
      url = new URL(next, url)
      body = undefined
      if (url.origin !== origin) return { url, status: response.status, html: '' }
    }
    throw new Error(`more than ${maxRedirects} redirects`)
  }
  return {
    open,
    confirmDevice: async address => {
      const code = await open(address)
      const compare = await open(`${origin}/oauth/device`, fieldsIn(code.html))
      const page = await open(`${origin}/oauth/device`, fieldsIn(compare.html))
      t.regex(page.url.pathname, /^\/oauth\/login\//, page.html)
      return page
    },
    logIn: async (address, form) => {
      const page = await open(address)
      t.is(page.status, 200, page.html)
      t.regex(page.url.pathname, /^\/oauth\/login\//)
      const answer = await open(page.url, { decision: 'allow', ...form })
      t.not(answer.url.origin, origin, answer.html)
      return answer.url
    },
  }
}

function fieldsIn(html: string): Record<string, string> {
  const fields = [...html.matchAll(/<input\b[^>]*>/gu)].map(([input]) => [
    /name="([^"]*)"/u.exec(input)?.[1] ?? '',
    /value="([^"]*)"/u.exec(input)?.[1] ?? '',
  ])
  return Object.fromEntries(fields)
}
