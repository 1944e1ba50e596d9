import { useState } from 'preact/hooks'
import { type ApiError, asApiError } from '../api/api-error.js'
import { signInByKey, signInByPassword } from '../api/session.js'
import { Failure } from '../parts/placeholders.js'

/** Sign-in for modes that require a credential (web.md 2.1). */
export function Login() {
  const [error, setError] = useState<ApiError>()
  const [isBusy, setBusy] = useState(false)
  const attempt = (signIn: (fields: FormData) => Promise<void>) => async (event: Event) => {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    setBusy(true)
    await signIn(new FormData(form)).catch((thrown: unknown) => setError(asApiError(thrown)))
    form.reset()
    setBusy(false)
  }
  const byKey = attempt(fields => signInByKey(textOf(fields, 'key')))
  const byPassword = attempt(fields =>
    signInByPassword(textOf(fields, 'username'), textOf(fields, 'password')),
  )
  return (
    <section class="login">
      <h1>Sign in</h1>
      <p>
        This daemon requires a credential. It is stored in this tab only and removed when you close the tab.
      </p>
      {error && <Failure error={error} />}
      <form onSubmit={byKey}>
        <h2>With an API key</h2>
        <label>
          API key or token
          <input name="key" type="password" autocomplete="off" required spellcheck={false} />
        </label>
        <p class="dim">Admins create keys with memory api-key create --name you --role operator</p>
        <button type="submit" disabled={isBusy}>
          Sign in with the key
        </button>
      </form>
      <form onSubmit={byPassword}>
        <h2>As the admin</h2>
        <label>
          Name
          <input name="username" autocomplete="username" required />
        </label>
        <label>
          Password
          <input name="password" type="password" autocomplete="current-password" required />
        </label>
        <button type="submit" disabled={isBusy}>
          Sign in with the password
        </button>
      </form>
    </section>
  )
}

function textOf(fields: FormData, name: string): string {
  const value = fields.get(name)
  return typeof value === 'string' ? value : ''
}
