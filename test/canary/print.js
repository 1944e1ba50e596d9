// Prints the secret in V to stdout and stderr, in the encoding that the argument names, like a careless
// program.
const value = process.env.V ?? ''
const way = process.argv[2] ?? ''
const bytes = Buffer.from(value)

const both = text => {
  process.stdout.write(`${text}\n`)
  process.stderr.write(`${text}\n`)
}

/** Writes one to seven bytes at a time. */
const dribble = async text => {
  const all = Buffer.from(text)
  for (let at = 0, length = 1; at < all.length; at += length, length = (length % 7) + 1) {
    const piece = all.subarray(at, at + length)
    await new Promise(resolve => process.stdout.write(piece, resolve))
    await new Promise(resolve => process.stderr.write(piece, resolve))
    await new Promise(resolve => setTimeout(resolve, 1))
  }
}

const json = text => JSON.stringify(text)
const hex = () => bytes.toString('hex')
const shifted = before => Buffer.concat([Buffer.from('ab'.slice(0, before)), bytes, Buffer.from('yz')])

const ways = {
  plain: () => both(`the key is ${value}, yes ${value}`),
  base64: () => [0, 1, 2].map(before => both(shifted(before).toString('base64'))),
  base64url: () => [0, 1, 2].map(before => both(shifted(before).toString('base64url'))),
  wrapped: () => both(bytes.toString('base64').replace(/.{19}/g, '$&\n')),
  hex: () =>
    both([hex(), hex().toUpperCase(), hex().replace(/../g, '$& '), hex().replace(/../g, '\\x$&')].join('\n')),
  url: () => both(`https://example.org/?k=${encodeURIComponent(value)}&${new URLSearchParams({ value })}`),
  json: () => both(`${json({ value })} ${json(json({ value }))}`),
  dribble: () => dribble(`begun ${value} middle ${json(value)} ${bytes.toString('base64')} end`),
  error: () => {
    both(value)
    throw new Error(`cannot connect with ${value}`)
  },
  // Fills both ends of the kept output, with far more than that between them.
  flood: () => {
    for (let n = 0; n < 2000; n++) both(`${'.'.repeat(500 + (n % 17))} ${n % 3 ? value : hex()}`)
  },
  hang: () => {
    both(`begun ${value}`)
    process.stdout.write(value.slice(0, value.length / 2))
    setInterval(() => process.stdout.write('.'), 50)
  },
}
await ways[way]()
