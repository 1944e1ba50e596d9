import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { packFile } from './pack-file.js'
import { mitNotice } from './third-party-notices.js'

const root = join(import.meta.dirname, '..')
const folder = 'node_modules/@vscode/tree-sitter-wasm/wasm'
const inPackage = name => join(root, folder, name)

/** The grammars that `src/daemon/knowledge/code/index/languages` uses, out of sixteen in the package. */
const grammars = [
  'bash',
  'c-sharp',
  'cpp',
  'go',
  'java',
  'javascript',
  'php',
  'python',
  'ruby',
  'rust',
  'tsx',
  'typescript',
]

/** Copyright holders of the repositories that the package was compiled from, tree-sitter first. */
const copyrights = {
  'tree-sitter': '2018 Max Brunsfeld',
  'tree-sitter-bash': '2017 Max Brunsfeld',
  'tree-sitter-c-sharp': '2014-2023 Max Brunsfeld, Damien Guard, Amaan Qureshi, and contributors',
  'tree-sitter-cpp': '2014 Max Brunsfeld',
  'tree-sitter-go': '2014 Max Brunsfeld',
  'tree-sitter-java': '2017 Ayman Nadeem',
  'tree-sitter-javascript': '2014 Max Brunsfeld',
  'tree-sitter-php':
    '2017 Josh Vera, GitHub, (c) 2019 Max Brunsfeld, Amaan Qureshi, Christian Frøystad, Caleb White',
  'tree-sitter-python': '2016 Max Brunsfeld',
  'tree-sitter-ruby': '2016 Rob Rix',
  'tree-sitter-rust': '2017 Maxim Sokolov',
  'tree-sitter-typescript': '2017 Max Brunsfeld',
}

/**
 * Copies tree-sitter and its grammars in WebAssembly beside the bundles, compressed to a tenth of their size.
 * src/daemon/knowledge/code/index/parsing/grammars.ts unpacks a grammar at the first file of its language.
 * @returns the files whose text is included.
 */
export async function bundleGrammars(outdir) {
  const beside = join(outdir, 'tree-sitter')
  await mkdir(beside)
  await writeFile(join(beside, 'package.json'), '{ "type": "commonjs" }\n')
  // The script loads the .wasm file by itself.
  for (const name of ['tree-sitter.js', 'tree-sitter.wasm'])
    await copyFile(inPackage(name), join(beside, name))
  await Promise.all(grammars.map(name => packFile(inPackage(`tree-sitter-${name}.wasm`), beside)))
  return [`${folder}/tree-sitter.js`]
}

export const grammarNotices = Object.entries(copyrights).map(([name, holders]) =>
  mitNotice(name, `https://github.com/tree-sitter/${name}`, holders),
)
