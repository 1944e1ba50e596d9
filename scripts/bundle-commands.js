import { readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join, sep } from 'node:path'

const root = join(import.meta.dirname, '..')
const commandsDir = join(root, 'src', 'commands')

/** Ids of all commands with their files, sorted. @returns {Promise<{ id: string, file: string }[]>} */
async function listCommands() {
  const files = await readdir(commandsDir, { recursive: true })
  return files
    .filter(file => file.endsWith('.ts'))
    .map(file => ({ id: file.replace(/\.ts$/, '').split(sep).join(':'), file: join(commandsDir, file) }))
    .sort((a, b) => (a.id < b.id ? -1 : 1))
}

/** Frequently used commands: their bundle contains nothing else, and bin/run.js chooses it for them. */
export const everyday = JSON.parse(readFileSync(join(root, 'bin', 'everyday.json'), 'utf8'))

/**
 * esbuild plugin that provides `virtual:commands`, a table of files in src/commands.
 * @param {'lazy' | 'eager'} loading functions that import a command, or the classes themselves.
 * @param {readonly string[]} [ids] of the commands; all when absent.
 */
export function commandTable(loading, ids) {
  return {
    name: 'command-table',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^virtual:commands$/ }, ({ path }) => ({ path, namespace: 'command-table' }))
      onLoad({ filter: /.*/, namespace: 'command-table' }, async () => {
        const commands = (await listCommands()).filter(({ id }) => ids?.includes(id) ?? true)
        return { contents: loading === 'lazy' ? lazyTable(commands) : eagerTable(commands), resolveDir: root }
      })
    },
  }
}

function lazyTable(commands) {
  const rows = commands.map(({ id, file }) => `${JSON.stringify(id)}: () => import(${JSON.stringify(file)})`)
  return `export const commands = {\n${rows.join(',\n')}\n}`
}

function eagerTable(commands) {
  const imports = commands.map(({ file }, index) => `import command${index} from ${JSON.stringify(file)}`)
  const rows = commands.map(({ id }, index) => `${JSON.stringify(id)}: command${index}`)
  return `${imports.join('\n')}\nexport const commands = {\n${rows.join(',\n')}\n}`
}

/**
 * esbuild plugin: `@oclif/core` loads all of itself and checks the engine. This uses its documented parts
 * instead and loads each file on first use.
 */
export function slimOclif({ help = true } = {}) {
  const contents = `
    export { Command } from '@oclif/core/command'
    export * as Args from '@oclif/core/args'
    export * as Flags from '@oclif/core/flags'
    ${help ? forHelp : ''}
  `
  return {
    name: 'slim-oclif',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^@oclif\/core$/ }, ({ path }) => ({ path, namespace: 'slim-oclif' }))
      onLoad({ filter: /.*/, namespace: 'slim-oclif' }, () => ({ contents, resolveDir: root }))
      onLoad({ filter: /[\\/]@oclif[\\/]core[\\/]lib[\\/].*\.js$/ }, async ({ path }) => ({
        contents: requireLater(await readFile(path, 'utf8')),
        loader: 'js',
      }))
    },
  }
}

const forHelp = `
  export { Config } from '@oclif/core/config'
  export { Help } from '@oclif/core/help'
`

/** An import as the TypeScript compiler writes it, with its wrapper function. */
const compiledImport = /^(?:const|var) (\w+) = ((?:__import\w+\()?require\("[^"]+"\)\)?);$/gm

/** Rewrites compiled TypeScript so that imports are loaded on first use. */
function requireLater(text) {
  const names = []
  const declared = text.replace(compiledImport, (_line, name, load) => {
    names.push(name)
    return `let ${name}$; const ${name}$$ = () => (${name}$ ??= ${load});`
  })
  // The compiler numbers its names, except those of namespace imports.
  const uses = name => new RegExp(`(?<![\\w$.])${name}${/_\d+$/.test(name) ? '(?![\\w$])' : '(?=\\.)'}`, 'g')
  return names.reduce((code, name) => code.replace(uses(name), () => `(${name}$$())`), declared)
}
