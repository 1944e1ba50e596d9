import { randomBytes } from 'node:crypto'

/** A secret that must not appear anywhere. */
export interface Canary {
  name: string
  kind: string
  value: string
}

const random = (bytes: number): string => randomBytes(bytes).toString('base64')

const letters = 'äöüßéñçøå中文字漢語データ鍵пароль🔑🗝😀'

/** Values of common kinds, each with enough random text on every line to be unmistakable. */
const kinds: Record<string, () => string> = {
  base64: () => random(32),
  hex: () => randomBytes(24).toString('hex'),
  pem: () =>
    ['-----BEGIN CANARY KEY-----', random(48), random(48), random(27), '-----END CANARY KEY-----', ''].join(
      '\n',
    ),
  unicode: () => Array.from(randomBytes(20), byte => [...letters][byte % [...letters].length]).join(''),
  quotes: () => `it's "${random(6)}" \\${random(6)}\\n '$(x)' \`${random(6)}\` <&> %41+/ ~`,
  json: () =>
    JSON.stringify({ type: 'account', id: random(9), key: `${random(12)}\n${random(12)}`, path: 'a/b\\c' }),
  spaced: () => ` ${random(9)} ${random(9)}\t${random(9)} `,
}

export function makeCanaries(count: number): Canary[] {
  const names = Object.keys(kinds)
  return Array.from({ length: count }, (_, at) => {
    const kind = names[at % names.length] as string
    return { name: `CANARY_${at}`, kind, value: (kinds[kind] as () => string)() }
  })
}
