import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
/** The vendor's own program checks the manifest and packs the folder. */
const mcpb = '@anthropic-ai/mcpb@2.1.2'
const { name, version, description, license, engines } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
)

const folder = mkdtempSync(join(tmpdir(), 'memory-mcpb-'))
try {
  bundle()
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

/**
 * Packs this package with its dependencies as a bundle that desktop clients install with one click. SQLite's
 * driver is native, so a bundle is for the system that it was made on.
 */
function bundle() {
  const server = join(folder, 'server')
  mkdirSync(server)
  // The build is there already: its scripts would build again.
  run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder], root)
  const packed = readdirSync(folder).find(file => file.endsWith('.tgz'))
  const manifest = { private: true, allowScripts: { 'better-sqlite3': true } }
  writeFileSync(join(server, 'package.json'), JSON.stringify(manifest))
  run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', join('..', packed)], server)
  writeFileSync(join(folder, '.mcpbignore'), '*.tgz\n')
  writeFileSync(join(folder, 'manifest.json'), `${JSON.stringify(manifestOf(), null, 2)}\n`)
  run('npx', ['--yes', mcpb, 'validate', join(folder, 'manifest.json')], root)
  const target = join(root, 'bundle', `${name}-${process.platform}-${process.arch}.mcpb`)
  mkdirSync(join(root, 'bundle'), { recursive: true })
  run('npx', ['--yes', mcpb, 'pack', folder, target], root)
}

function manifestOf() {
  const entry = `server/node_modules/${name}/bin/mcp.js`
  return {
    manifest_version: '0.3',
    name,
    display_name: 'Memory',
    version,
    description,
    author: { name },
    license,
    keywords: ['memory', 'mcp'],
    server: {
      type: 'node',
      entry_point: entry,
      mcp_config: {
        command: 'node',
        args: [`\${__dirname}/${entry}`, '--resources', '--prompts'],
        env: {
          SERVICE_WORKSPACE: `\${user_config.workspace}`,
          SERVICE_API_KEY: `\${user_config.key}`,
        },
      },
    },
    tools_generated: true,
    prompts_generated: true,
    user_config: {
      workspace: {
        type: 'directory',
        title: 'Workspace',
        description: 'The folder with the memories.',
        default: `\${HOME}/.memory-service`,
        required: false,
      },
      key: {
        type: 'string',
        title: 'API key',
        description: 'Only if the daemon asks for one.',
        sensitive: true,
        required: false,
        default: '',
      },
    },
    compatibility: { platforms: [process.platform], runtimes: { node: engines.node } },
  }
}

function run(program, words, cwd) {
  execFileSync(program, words, { cwd, stdio: 'inherit', shell: process.platform === 'win32' })
}
