import test from 'ava'
import { resolveToken } from '../../../../../src/daemon/ground/secrets/resolve-token.js'

const resolve = (value: string) => resolveToken(async () => value, 'DISCORD_TOKEN', ['Bot'])

test('a token loses surrounding white space and a leading Bot', async t => {
  t.is(await resolve(' abc.def.ghi\n'), 'abc.def.ghi')
  t.is(await resolve('Bot abc.def.ghi'), 'abc.def.ghi')
})

test('an invalid token is refused by its reference and never repeated', async t => {
  for (const value of ['two words', 'ümlaut', 'a\u0000b', '  ', 'Bot', 'Bot a b']) {
    const error = await t.throwsAsync(resolve(value), {
      message: /the secret DISCORD_TOKEN does not contain a token/u,
    })
    if (value.trim().length > 3) t.false(error?.message.includes(value.trim()))
  }
})
