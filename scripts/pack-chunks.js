import { readFile, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { scriptText } from './script-text.js'

/**
 * Packs the chunks that esbuild split a program into as two files. The main script contains the entry's
 * imports and the `isEveryday` modules. The rest file contains the others, each read and compiled when it is
 * imported. A chunk becomes a function that returns its exports and runs once.
 *
 * Exports are read once, after the chunk has run: esbuild's chunks import each other in one direction only.
 * Importers would miss an export that changes later; none of ours does.
 * @param {string} folder of the chunks; they are removed.
 * @param {{ entry: string, main: string, rest: string }} files names of the entry's chunk and of both files.
 * @param {(source: string) => boolean} isEveryday whether a module from `import()` belongs in the script.
 */
export async function packChunks(folder, { outputs }, { entry, main, rest }, isEveryday) {
  const chunks = new Map(
    Object.entries(outputs)
      .filter(([file]) => file.endsWith('.js'))
      .map(([file, output]) => [basename(file), output]),
  )
  const first = importedBy(entry, chunks)
  for (const [name, { entryPoint }] of chunks)
    if (entryPoint && !first.has(name) && isEveryday(entryPoint)) importedBy(name, chunks, first)
  const names = [...first, ...[...chunks.keys()].filter(name => !first.has(name))]
  const numbers = new Map(names.map((name, number) => [name, number]))
  const bodies = await Promise.all(
    names.map(async name =>
      asBody(await readFile(join(folder, name), 'utf8'), { name, ...chunks.get(name) }, numbers),
    ),
  )
  const later = bodies.slice(first.size).map(body => scriptText(`(function (${shared}) {${body}})`))
  await writeFile(join(folder, rest), later.join('\n'))
  const script = mainScript(bodies.slice(0, first.size), {
    entry: numbers.get(entry),
    places: placesOf(later),
  })
  await writeFile(join(folder, main), script)
  await Promise.all(names.map(name => rm(join(folder, name))))
}

/** Outer names that a chunk uses. */
const shared = '__load, require, __filename, __dirname, __import, __bundleUrl, __named'

function mainScript(bodies, { entry, places }) {
  return `const __bundleUrl = require('node:url').pathToFileURL(__filename).href;
const __named = whole => ({ ...whole, default: whole });
const __made = [];
const __load = number => (__made[number] ??= (__chunks[number] ?? __late(number))());
const __places = ${JSON.stringify(places)};
const __late = number => () => __rest(...__places[number - ${bodies.length}])(${shared});
const __chunks = [
${bodies.map(body => `() => {${body}}`).join(',\n')}
];
Object.assign(exports, __load(${entry}));`
}

/** The start, length and first line of each text. */
function placesOf(texts) {
  let [begin, line] = [0, 0]
  return texts.map(text => {
    const place = [begin, text.length, line]
    begin += text.length + 1
    line += text.split('\n').length
    return place
  })
}

/** Chunks that run with `entry`, each after its imports. */
function importedBy(entry, chunks, found = new Set(), begun = new Set(found)) {
  begun.add(entry)
  for (const { path, kind, external } of chunks.get(entry).imports)
    if (kind === 'import-statement' && !external && !begun.has(basename(path)))
      importedBy(basename(path), chunks, found, begun)
  return found.add(entry)
}

const importStatement =
  /^import (?:(?:(?<whole>\w+)|\* as (?<all>\w+)|\{(?<some>[^}]*)\}) from )?"(?<from>[^"]+)";\n/gmu
const exportStatement = /^export (?:\{(?<some>[^}]*)\}|default (?<whole>.*));\n$/mu
const chunkImport = /(?<![\w$.])import\("\.\/([^"]+)"\)/g

/** @throws when esbuild writes imports or exports in an unknown form. */
function asBody(text, { name, imports }, numbers) {
  const exported = exportStatement.exec(text)
  const statements = [...text.matchAll(importStatement)]
  const body = text.slice(0, exported?.index).replace(importStatement, '')
  const known = imports.filter(({ kind }) => kind === 'import-statement')
  if (statements.length !== known.length || /^export\b/mu.test(body))
    throw new Error(`${name} imports or exports in an unknown form`)
  const code = body.replace(chunkImport, (whole, chunk) =>
    numbers.has(chunk) ? `Promise.resolve().then(() => __load(${numbers.get(chunk)}))` : whole,
  )
  return `${statements.map(({ groups }) => asConstants(groups, numbers)).join('\n')}
${code}
return ${asObject(exported?.groups)};
`
}

function asConstants({ whole, all, some, from }, numbers) {
  const chunk = from.startsWith('./') ? numbers.get(from.slice(2)) : undefined
  const value = chunk === undefined ? `require(${JSON.stringify(from)})` : `__load(${chunk})`
  if (some !== undefined) return `const { ${renamed(some, ': ')} } = ${value};`
  return whole || all ? `const ${whole ?? all} = ${value};` : `${value};`
}

function asObject({ some, whole } = {}) {
  if (whole !== undefined) return `__named(${whole})`
  return some === undefined ? '{}' : `{ ${renamed(some, ': ', true)} }`
}

/** `a as b` as a field of a pattern; reversed for exports. */
function renamed(list, between, isExported = false) {
  const pairs = list.split(',').map(one => one.trim().split(' as '))
  return pairs
    .filter(([name]) => name)
    .map(([name, other = name]) => (isExported ? [other, name] : [name, other]).join(between))
    .join(', ')
}
