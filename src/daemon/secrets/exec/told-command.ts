import { AppError } from '../../../contract/ground/errors.js'
import { everyFewMs } from '../../../lib/concurrency/every-few-ms.js'
import { clip } from '../../../lib/text/clip.js'
import { withoutSecrets } from '../../../lib/text/without-secrets.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { partsOf } from './redact/encodings.js'
import { createRedactor, type Redactor } from './redact/redactor.js'

type Deps = Pick<Daemon, 'secrets'>

/** Characters of a command that the audit log tells, and among which stored values are looked for. */
const toldLength = 200
const lookedAtLength = 16 * 1024

/**
 * The beginning of a command as the audit log tells it: without the values that the command gets, without those of other
 * secrets that somebody typed into it, and without what looks like a credential.
 */
export async function toldCommand(deps: Deps, command: string, redactor: Redactor): Promise<string> {
  const text = redactor.text(command).slice(0, lookedAtLength)
  try {
    const typed = await createRedactor(await typedInto(deps, text))
    return clip(withoutSecrets(typed.text(text)), toldLength)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return '[not told: the store of secrets does not open]'
  }
}

/** What of the stored values stands in a text. @throws AppError those of the store */
async function typedInto({ secrets: { store } }: Deps, text: string): Promise<string[]> {
  const breathe = everyFewMs()
  const typed: string[] = []
  for (const name of await store.names())
    for (const part of partsOf((await store.get(name)) ?? '')) {
      if (text.includes(part)) typed.push(part)
      const pause = breathe()
      if (pause) await pause
    }
  return typed
}
