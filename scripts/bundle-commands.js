import { readdir } from 'node:fs/promises'
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

/**
 * esbuild plugin that provides `virtual:commands`, the table of every file in src/commands.
 * @param {'lazy' | 'eager'} loading functions that import a command, or the classes themselves.
 */
export function commandTable(loading) {
  return {
    name: 'command-table',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^virtual:commands$/ }, ({ path }) => ({ path, namespace: 'command-table' }))
      onLoad({ filter: /.*/, namespace: 'command-table' }, async () => {
        const commands = await listCommands()
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

/** esbuild plugin: `@oclif/core` loads all of itself and checks the engine; its documented parts do not. */
export function slimOclif() {
  const contents = `
    export { Command } from '@oclif/core/command'
    export * as Args from '@oclif/core/args'
    export * as Flags from '@oclif/core/flags'
    export { Config } from '@oclif/core/config'
    export { Help } from '@oclif/core/help'
  `
  return {
    name: 'slim-oclif',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^@oclif\/core$/ }, ({ path }) => ({ path, namespace: 'slim-oclif' }))
      onLoad({ filter: /.*/, namespace: 'slim-oclif' }, () => ({ contents, resolveDir: root }))
    },
  }
}
