import test from 'ava'
import { createKeychain } from '../../../../src/store/secrets/keychain.js'

/** A keychain whose entry answers never, or after the usual deadline. */
function keychainThat(
  answer: Promise<string>,
  { isAsked, personMs }: { isAsked: boolean; personMs: number },
) {
  const entry = {
    getPassword: () => answer,
    setPassword: async () => undefined,
    deletePassword: async () => true,
  }
  return createKeychain({
    entryOf: async () => entry,
    isAsked: async () => isAsked,
    usualMs: 20,
    personMs,
  })
}

const never = new Promise<string>(() => undefined)

test('a keychain that nobody can unlock fails after the usual deadline', async t => {
  const keychain = keychainThat(never, { isAsked: false, personMs: 300_000 })
  const { message } = await t.throwsAsync(keychain.get('a'), { code: 'secret_store_unavailable' })
  t.regex(message, /no answer within 20 ms\);/)
  t.notRegex(message, /macOS/)
})

test('a person at a Mac has longer to allow the access, and the error names the dialog', async t => {
  const keychain = keychainThat(never, { isAsked: true, personMs: 40 })
  const { message } = await t.throwsAsync(keychain.get('a'), { code: 'secret_store_unavailable' })
  t.regex(message, /no answer within 40 ms; macOS may be asking you/)
  const late = new Promise<string>(resolve => setTimeout(resolve, 100, 'key'))
  t.is(await keychainThat(late, { isAsked: true, personMs: 300_000 }).get('a'), 'key')
})
