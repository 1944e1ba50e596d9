import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import type { InstallMethod } from '../../../../../src/contract/operations/updates.js'
import { installationOf } from '../../../../../src/daemon/operations/updates/installation.js'
import { temporaryWorkspace } from '../../../../helpers/daemon.js'

const packageName = 'memory-service'

/** Location of the package, neighbouring files, detected method, and update command. */
const cases: readonly [
  place: string,
  beside: readonly string[],
  InstallMethod,
  command?: string | undefined,
][] = [
  [
    'p/lib/node_modules/memory-service',
    [],
    'npm-global',
    'npm install --global --prefix ROOT/p --no-fund --no-audit NEW',
  ],
  [
    'app/node_modules/memory-service',
    ['app/package.json'],
    'npm-local',
    'npm install --no-fund --no-audit NEW',
  ],
  ['app/node_modules/memory-service', ['app/package.json', 'app/yarn.lock'], 'yarn-local', 'yarn add NEW'],
  ['app/node_modules/memory-service', ['app/package.json', 'app/bun.lock'], 'bun-local', 'bun add NEW'],
  [
    'app/node_modules/.pnpm/memory-service@1.0.0/node_modules/memory-service',
    ['app/package.json'],
    'pnpm-local',
    'pnpm add NEW',
  ],
  [
    '.local/share/pnpm/global/5/.pnpm/memory-service@1.0.0/node_modules/memory-service',
    [],
    'pnpm-global',
    'pnpm add --global NEW',
  ],
  // pnpm 12 keeps every package in its store.
  [
    '.local/share/pnpm/store/v11/links/@/memory-service/1.0.0/40e7b5dd/node_modules/memory-service',
    [],
    'pnpm-global',
    'pnpm add --global NEW',
  ],
  [
    'tools/global/5/.pnpm/memory-service@1.0.0/node_modules/memory-service',
    [],
    'pnpm-global',
    'pnpm add --global NEW',
  ],
  ['bunny/install/global/node_modules/memory-service', [], 'bun-global', 'bun add --global NEW'],
  ['.cache/pnpm/dlx/5b2655/1a22/node_modules/.pnpm/memory-service@1/node_modules/memory-service', [], 'npx'],
  ['tmp/bunx-1000-memory-service@latest/node_modules/memory-service', [], 'npx'],
  ['.bun/install/cache/.bunx-0/node_modules/memory-service', [], 'npx'],
  ['AppData/Local/Programs/memory-service/node_modules/memory-service', [], 'winget'],
  ['.config/yarn/global/node_modules/memory-service', [], 'yarn-global', 'yarn global add NEW'],
  ['.bun/install/global/node_modules/memory-service', [], 'bun-global', 'bun add --global NEW'],
  ['.npm/_npx/0a1b/node_modules/memory-service', ['.npm/_npx/0a1b/package.json'], 'npx', undefined],
  ['Cellar/memory-service/1.0.0/libexec/lib/node_modules/memory-service', [], 'homebrew', undefined],
  ['nix/store/0a1b-memory-service-1.0.0/lib/node_modules/memory-service', [], 'nix', undefined],
  ['scoop/apps/memory-service/current/node_modules/memory-service', [], 'scoop', undefined],
  ['src/memory-service', ['src/memory-service/.git/HEAD'], 'git', undefined],
  ['opt/memory-service', [], 'unknown', undefined],
  ['opt/node_modules/memory-service', [], 'unknown', undefined],
]

for (const [place, beside, method, command] of cases)
  test(`a package in ${place} next to ${beside.join(', ') || 'nothing'} is ${method} (operations.md 2.3)`, t => {
    const root = temporaryWorkspace(t)
    const packageRoot = join(root, place)
    mkdirSync(packageRoot, { recursive: true })
    for (const path of beside) {
      mkdirSync(join(root, path, '..'), { recursive: true })
      writeFileSync(join(root, path), '')
    }
    const found = installationOf({ packageRoot, packageName, standalone: undefined, platform: 'linux' })
    t.is(found.method, method)
    const words = found
      .command?.('2.0.0')
      .join(' ')
      .replace(root, 'ROOT')
      .replace('memory-service@2.0.0', 'NEW')
    t.is(words, command)
    t.regex(found.advice('2.0.0'), /memory-?service/iu)
  })

test('the command for a person is the one of its program', t => {
  const root = temporaryWorkspace(t)
  const advice = (place: string, isImage = false): string => {
    const packageRoot = join(root, place)
    mkdirSync(packageRoot, { recursive: true })
    const facts = { packageRoot, packageName, standalone: undefined, platform: 'linux', isImage } as const
    const found = installationOf(facts)
    t.is(found.command, undefined)
    return found.advice('2.0.0')
  }
  t.is(
    advice('Cellar/memory-service/1/libexec/lib/node_modules/memory-service'),
    'brew upgrade memory-service',
  )
  t.is(
    advice('nix/store/a-memory-service/lib/node_modules/memory-service'),
    'nix profile upgrade memory-service',
  )
  t.is(advice('scoop/apps/memory-service/1/node_modules/memory-service'), 'scoop update memory-service')
  t.is(
    advice('Local/Programs/memory-service/node_modules/memory-service'),
    'winget upgrade --id MemoryService.MemoryService',
  )
  t.is(advice('.npm/_npx/0a/node_modules/memory-service'), 'npx memory-service@2.0.0')
  t.regex(advice('usr/local/lib/node_modules/memory-service', true), /^docker build --pull .*docker compose /)
})

test('links are followed, so a linked checkout is recognised (operations.md 2.3)', t => {
  const root = temporaryWorkspace(t)
  mkdirSync(join(root, 'checkout', '.git'), { recursive: true })
  mkdirSync(join(root, 'lib', 'node_modules'), { recursive: true })
  const packageRoot = join(root, 'lib', 'node_modules', packageName)
  symlinkSync(join(root, 'checkout'), packageRoot)
  t.is(installationOf({ packageRoot, packageName, standalone: undefined, platform: 'linux' }).method, 'git')
})

for (const command of ['npm.cmd', 'memory.cmd'])
  test(`on Windows a package with ${command} beside its folder was installed globally by npm`, t => {
    const root = temporaryWorkspace(t)
    const packageRoot = join(root, 'npm', 'node_modules', 'memory-service')
    mkdirSync(packageRoot, { recursive: true })
    writeFileSync(join(root, 'npm', command), '')
    const facts = { packageRoot, packageName, standalone: undefined, platform: 'win32' } as const
    t.is(installationOf(facts).method, 'npm-global')
  })
