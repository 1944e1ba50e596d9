import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { readSources, root, type SourceFile, sourceTree } from '../helpers/source-tree.js'
import { temporaryFolder } from '../helpers/temporary-folder.js'

const plugins = readdirSync(join(root, 'src', 'harness-plugins')).map(name => ({
  path: `src/harness-plugins/${name}`,
  text: readFileSync(join(root, 'src', 'harness-plugins', name), 'utf8'),
}))
const sources = readSources('src')

test('every start of a process says whether Windows may show a window', t => {
  t.deepEqual(shownStarts([...sources, ...plugins]), [])
})

test('a start without that word is caught in every form', t => {
  const from = "from 'node:child_process'"
  const example = sourceTree({
    'src/a.ts': `import { fork } ${from}\nfork(file, { env: {} })`,
    'src/b.ts': `import { execFile } ${from}\npromisify(execFile)('ps', ['x'])`,
    'src/c.ts': "const { execa } = await import('execa')\nexeca(program, args)",
    'src/d.ts': `import { spawn } ${from}\nspawn(program(one), args, { windowsHide: true })`,
    'src/e.ts': '/a/.exec(text)',
  })
  t.deepEqual(shownStarts(example), ['src/a.ts: fork', 'src/b.ts: execFile', 'src/c.ts: execa'])
})

test('files are renamed with patience, since Windows refuses while another program has them open', t => {
  // The plugin is one file without imports of ours, and renames only files that it has just made.
  t.deepEqual(bareRenames(sources), [])
})

test('a bare rename is caught', t => {
  const example = sourceTree({
    'src/a.ts': "import { rename } from 'node:fs/promises'",
    'src/b.ts': "import {\n  renameSync,\n} from 'node:fs'",
    'src/c.ts': 'await fs.promises.rename(from, to)',
    'src/d.ts': "tables.rename(row.key, wanted)\nimport { rm } from 'node:fs'",
  })
  t.deepEqual(bareRenames(example), ['src/a.ts', 'src/b.ts', 'src/c.ts'])
})

test('files are removed with retries, since Windows refuses while another program has them open', t => {
  t.deepEqual(hastyRemovals(sources), [])
})

test('a removal without retries is caught', t => {
  const example = sourceTree({
    'src/a.ts': "import { rm } from 'node:fs/promises'\nawait rm(file, { force: true })",
    'src/b.ts': "import { unlinkSync } from 'node:fs'",
    'src/c.ts': "import { rmSync } from 'node:fs'\nrmSync(file, { force: true, maxRetries: 5 })",
  })
  t.deepEqual(hastyRemovals(example), ['src/a.ts: rm', 'src/b.ts: unlink'])
})

/** An unpacked copy of the sources has no repository to clone. */
const inRepository = existsSync(join(root, '.git')) ? test : test.skip

inRepository('a checkout by Git for Windows has the same bytes, so that generated files are equal', t => {
  const clone = temporaryFolder(t)
  const git = (...args: string[]) => execFileSync('git', ['-C', clone, ...args], { encoding: 'utf8' })
  // The attributes of this folder count, also before they are committed.
  git('clone', '--quiet', '--shared', '--no-checkout', '-c', 'core.autocrlf=true', root, '.')
  mkdirSync(join(clone, '.git', 'info'), { recursive: true })
  copyFileSync(join(root, '.gitattributes'), join(clone, '.git', 'info', 'attributes'))
  const generated = ['docs', 'man', 'models', 'oclif.manifest.json', 'test/fixtures']
  git('checkout', '--quiet', 'HEAD', '--', ...generated)
  const changed = git('ls-files', '--eol', '--', ...generated)
    .split('\n')
    .filter(line => /\bw\/(?:crlf|mixed)\b/u.test(line) && !/^i\/(?:crlf|mixed)\b/u.test(line))
  t.deepEqual(changed, [])
  t.is(git('status', '--porcelain', '--', ...generated), '')
})

const starts = /\b(fork|spawn|spawnSync|exec|execFile|execFileSync|execSync|execa|execaSync)\)?\(/gu
const startsPrograms = /'(?:node:child_process|execa)'/u

function shownStarts(files: readonly SourceFileText[]): string[] {
  return files
    .filter(({ text }) => startsPrograms.test(text))
    .flatMap(file => callsIn(file.text, starts).map(call => ({ ...call, path: file.path })))
    .filter(({ call }) => !call.includes('windowsHide'))
    .map(({ path, name }) => `${path}: ${name}`)
}

function bareRenames(files: readonly SourceFile[]): string[] {
  const imported = /import \{[^}]*\brename(?:Sync)?\b[^}]*\} from 'node:fs(?:\/promises)?'/u
  return files
    .filter(({ path }) => path !== 'src/lib/files/patient-rename.ts')
    .filter(({ text }) => imported.test(text) || /\bfs(?:\.promises)?\.rename/u.test(text))
    .map(({ path }) => path)
}

function hastyRemovals(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ text }) => /from 'node:fs(?:\/promises)?'/u.test(text))
    .flatMap(({ path, text }) => [
      ...callsIn(text, /(?<![.\w])(rm|rmSync)\(/gu)
        .filter(({ call }) => !call.includes('maxRetries'))
        .map(({ name }) => `${path}: ${name}`),
      ...(/import \{[^}]*\bunlink(?:Sync)?\b[^}]*\} from 'node:fs/u.test(text) ? [`${path}: unlink`] : []),
    ])
}

type SourceFileText = Pick<SourceFile, 'path' | 'text'>

/** The calls that a pattern finds, up to the closing bracket; methods of other objects are left out. */
function callsIn(text: string, pattern: RegExp): { name: string; call: string }[] {
  return [...text.matchAll(pattern)]
    .filter(({ index }) => text.charAt(index - 1) !== '.' && !/function $/u.test(text.slice(0, index)))
    .map(found => ({ name: found[1] ?? '', call: bracketed(text.slice(found.index + found[0].length)) }))
}

function bracketed(text: string): string {
  let depth = 1
  for (const [at, char] of [...text].entries()) {
    if (char === '(') depth++
    else if (char === ')' && --depth === 0) return text.slice(0, at)
  }
  return text
}
