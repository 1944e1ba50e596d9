import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Holders of packages that name neither them nor an author, as their project's other packages name them. */
const holders = { 'koa-compose': 'Koa contributors' }
const licenceFile = /^(?:licen[cs]e|copying|notice)(?:[.-].*)?$/i

/** Files of esbuild's result with text in an output. @returns {string[]} paths relative to the root */
export function bundledFiles({ metafile }) {
  return Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs)
      .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
      .map(([path]) => path),
  )
}

/**
 * Names, versions and licences of the packages that bundled files come from, since redistributing their text
 * requires them.
 * @param {string} root absolute
 * @param {readonly string[]} files relative to the root
 * @param {readonly object[]} others notices for code that packages contain from elsewhere (`mitNotice`).
 * @throws when a package does not name its licence.
 */
export async function thirdPartyNotices(root, files, others) {
  const folders = new Set(files.flatMap(file => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? []))
  const packages = await Promise.all([...folders].map(folder => readPackage(join(root, folder))))
  const byTitle = new Map([...packages, ...others].map(one => [one.title, one]))
  const entries = [...byTitle.values()].sort((a, b) => (a.title < b.title ? -1 : 1)).map(entryOf)
  return `memory-service contains parts of the packages below, each under its own licence.\n\n${entries.join('\n')}`
}

/** A notice for MIT-licensed code that is not a package. */
export function mitNotice(title, source, holder) {
  return { title, license: 'MIT', source, texts: [mitText(holder)] }
}

async function readPackage(folder) {
  const { name, version, license, author, homepage, repository } = JSON.parse(
    await readFile(join(folder, 'package.json'), 'utf8'),
  )
  if (typeof license !== 'string') throw new Error(`${folder} names no licence`)
  const names = (await readdir(folder)).filter(file => licenceFile.test(file)).sort()
  const texts = await Promise.all(names.map(file => readFile(join(folder, file), 'utf8')))
  const holder = typeof author === 'string' ? author : (author?.name ?? holders[name])
  if (texts.length === 0) texts.push(standardText(name, license, holder))
  return { title: `${name} ${version}`, license, source: homepage ?? repository?.url ?? repository, texts }
}

/** For packages that name their licence but do not include its text. */
function standardText(name, license, holder) {
  if (license !== 'MIT' || !holder)
    throw new Error(`${name} does not include the text of its licence ${license}`)
  return mitText(holder)
}

function mitText(holder) {
  return `MIT License

Copyright (c) ${holder}

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`
}

function entryOf({ title, license, source, texts }) {
  const facts = [`Licence: ${license}`, source && `Source: ${source}`]
  const text = texts.map(one => one.replaceAll('\r\n', '\n').trim()).join('\n\n')
  return `${'='.repeat(80)}\n${title}\n${facts.filter(Boolean).join('\n')}\n\n${text}\n`
}
