import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'

/**
 * Names that a bundle may use besides globals: CommonJS's five, import(), and the reader of its rest file.
 */
const parameters = 'exports, require, module, __filename, __dirname, __import, __rest'

/** Wraps a bundle as bin/load-cached.js expects: a function, with a hash of its text at the end. */
export async function finishScript(file) {
  const text = `(function (${parameters}) {${scriptText(await readFile(file, 'utf8'))}\n})`
  const mark = createHash('sha256').update(text).digest('hex').slice(0, 16)
  await writeFile(file, `${text}\n// ${mark}`)
}

/**
 * Converts script text: import() gets the loader's name for it, and the text becomes plain ASCII. Remaining
 * imports are external; esbuild leaves regular expressions and comments as they are.
 */
export function scriptText(text) {
  return asciiOnly(text.replace(/(?<![\w$.])import\(/g, '__import('))
}

/**
 * A backslash before a non-ASCII character has no meaning in a regular expression, and would break the
 * escape.
 */
function asciiOnly(text) {
  return text.replace(
    /(\\[\0-\x7f])|\\?([^\0-\x7f])/g,
    (_match, kept, character) => kept ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
