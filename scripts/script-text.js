import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'

/** What a bundle may use beside globals: CommonJS's five, import(), and what gives the rest of it. */
const parameters = 'exports, require, module, __filename, __dirname, __import, __rest'

/**
 * Makes a bundle what bin/load-cached.js reads: a function, with a mark of the text at its end.
 */
export async function finishScript(file) {
  const text = `(function (${parameters}) {${scriptText(await readFile(file, 'utf8'))}\n})`
  const mark = createHash('sha256').update(text).digest('hex').slice(0, 16)
  await writeFile(file, `${text}\n// ${mark}`)
}

/**
 * Text of a script: import() (what is left are imports of something outside) by the name that its loader gives it, and
 * plain ASCII (esbuild leaves regular expressions and comments as they are).
 */
export function scriptText(text) {
  return asciiOnly(text.replace(/(?<![\w$.])import\(/g, '__import('))
}

/** A backslash before such a character says nothing in a regular expression, and would undo ours. */
function asciiOnly(text) {
  return text.replace(
    /(\\[\0-\x7f])|\\?([^\0-\x7f])/g,
    (_match, kept, character) => kept ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
