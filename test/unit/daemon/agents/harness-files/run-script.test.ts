import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { pino } from 'pino'
import { runScript } from '../../../../../src/daemon/agents/harness-files/routes.js'
import { workspacePaths } from '../../../../../src/lib/workspace/paths.js'
import { temporaryWorkspace } from '../../../../helpers/daemon.js'
import { emptyFolder, fakeProgram } from '../../../../helpers/fake-program.js'

test('on Windows the launcher of Python runs a script, and python where it is missing', async t => {
  const paths = workspacePaths(temporaryWorkspace(t))
  const script = join(paths.root, 'x.py')
  writeFileSync(script, '')
  const run = (PATH: string) =>
    runScript(
      { paths, log: pino({ level: 'silent' }), environment: { PATH } },
      { script, signal: new AbortController().signal, platform: 'win32' },
    )
  const onlyOwn = ({ path }: { path: string }) => path.split(':')[0] ?? ''
  const launcher = fakeProgram(t, 'py', '')
  const python = fakeProgram(t, 'python', '')
  t.like(await run(`${onlyOwn(launcher)}:${onlyOwn(python)}`), { code: 0, program: 'py' })
  t.deepEqual(launcher.calls()[0]?.args, ['-3', script])
  t.like(await run(onlyOwn(python)), { code: 0, program: 'python' })
  t.deepEqual(python.calls()[0]?.args, [script])
  t.like(await run(emptyFolder(t)), { isMissing: true, program: 'python' })
})
