import { realpathSync } from 'node:fs'
import { delimiter } from 'node:path'
import { countOf } from '../../../lib/text/count-of.js'
import { findProgram } from '../../sessions/connect/entries/machine.js'
import type { DoctorContext, Outcome } from './finding.js'

/** Other copies of this program on the PATH: an update changes one of them. @param env has the PATH of this terminal. */
export async function checkCopies(
  { remote, platform }: Pick<DoctorContext, 'remote' | 'platform'>,
  _status?: unknown,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Outcome> {
  const copies = remote ? [] : copiesOn(env, platform)
  if (copies.length < 2)
    return { severity: 'ok', evidence: `${countOf(copies.length, 'copy', 'copies')} on the PATH` }
  return {
    severity: 'warning',
    evidence: `${copies.length} copies of memory are on the PATH: ${copies.join(', ')}; an update changes one of them`,
    fix: `remove all but ${copies[0]}`,
  }
}

/** Each place once, however many links and folders of the PATH lead there. */
function copiesOn(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string[] {
  const folders = (env.PATH ?? env.Path ?? '').split(delimiter)
  const found = folders.flatMap(folder => findProgram({ env, platform }, 'memory', folder) ?? [])
  const byPlace = new Map(found.map(file => [realpathSync(file), file] as const).reverse())
  return [...byPlace.values()].reverse()
}
