import { Args, Flags, type Interfaces } from '@oclif/core'
import { asksFirst, cancelled } from '../cli/consent/consent.js'
import { filterFlags, momentOf, reasonFlag, reasonOf } from '../cli/memory/flags.js'
import {
  executeForget,
  type ForgetCall,
  type ForgetPreview,
  type ForgetTarget,
  forgetBatch,
  forgetOutcome,
  previewForget,
  requireTarget,
} from '../cli/memory/forget.js'
import { memoryTable } from '../cli/memory/list.js'
import { hereOf, readingProjectFlags } from '../cli/memory/project-flags.js'
import { DaemonCommand } from '../cli/shell/daemon-command.js'
import { exitCodes } from '../cli/shell/exit-codes.js'
import { rowOf } from '../cli/shell/listed-rows.js'
import { colorsFor, outputWidth, print, printNote } from '../cli/terminal/output.js'
import { memoryTypes } from '../contract/ground/wire-names.js'
import { countOf } from '../lib/text/count-of.js'

/** Flags of forget: the target, the reason, and the confirmation (rules.md 4.8). */
export const forgetFlags = {
  query: Flags.string({ summary: 'Memories that match this query.', char: 'q', helpValue: 'WORDS' }),
  type: Flags.string({ summary: 'Only memories of this type.', options: memoryTypes, helpGroup: 'FILTER' }),
  ...filterFlags,
  ...readingProjectFlags,
  scope: Flags.string({
    summary: 'Only memories of this scope (default: all scopes).',
    helpValue: 'NAME',
    helpGroup: 'FILTER',
  }),
  'source-type': Flags.string({
    summary: 'Only memories of this source type.',
    helpValue: 'NAME',
    helpGroup: 'FILTER',
  }),
  limit: Flags.integer({ summary: 'Maximum number of memories.', char: 'n', min: 1, max: forgetBatch }),
  reason: reasonFlag(),
  force: Flags.boolean({ summary: 'Also forget pinned memories.' }),
  'dry-run': Flags.boolean({ summary: 'Show what would be forgotten without forgetting it.' }),
  yes: Flags.boolean({ summary: 'Skip confirmation.', char: 'y', exclusive: ['dry-run'] }),
}

const nextSteps = ['add --dry-run to see what would be forgotten', 'add --yes to forget them']

export default class Forget extends DaemonCommand {
  static override summary = 'Forget memories by id, query or filter.'
  static override description =
    'Shows the matching memories and lets you choose; without a terminal, --yes is required. ' +
    'Memories selected by id or filter are preselected, matches of a query are not. Pinned memories need ' +
    "--force. A query or filter looks at the current folder's project and at memories of no project. Forgotten memories can be recovered for 30 days. At most 200 memories at once."
  static override examples = [
    '<%= config.bin %> forget 0198c0de-0000-7000-8000-000000000001 --reason outdated',
    '<%= config.bin %> forget --query "old deploy steps" --dry-run',
    '<%= config.bin %> forget --tags scratch --until 30d --yes --reason "clean up"',
  ]
  static override args = {
    ids: rowOf(
      'memory',
      Args.string({ description: 'Ids of the memories.', multiple: true, ignoreStdin: true }),
    ),
  }
  static override flags = forgetFlags

  async run() {
    const { args, flags } = await this.parse(Forget)
    const ids = args.ids
    const target = forgetTarget(ids, flags, this.globals.agent)
    requireTarget(target)
    const isDry = flags['dry-run']
    const send: ForgetCall = body => this.call('POST /api/memory/forget', { body }, hereOf(flags))
    const preview = await previewForget(send, target)
    if (ids && preview.count === 0) process.exitCode = exitCodes.notFound.code
    if (preview.count === 0) await this.noteUnknownProject(flags.project)
    if (isDry || preview.count === 0) return this.show(preview)
    const asks = asksFirst({ yes: flags.yes, json: this.jsonEnabled(), nextSteps })
    const { reason, force } = flags
    const plan = asks
      ? await choose({ preview, reason, force, preselect: flags.query === undefined })
      : { reason: reasonOf(reason, 'forgotten on the command line') }
    const result = await executeForget(send, { target, preview, force, ...plan })
    const { lines, complete } = forgetOutcome(result, asks ? [] : preview.candidates)
    if (!complete) process.exitCode = exitCodes.refused.code
    if (!this.jsonEnabled()) print(lines.join('\n'))
    return result
  }

  private show(preview: ForgetPreview): ForgetPreview {
    if (this.jsonEnabled()) return preview
    const width = process.stdout.isTTY ? outputWidth() : undefined
    if (preview.count > 0)
      print(memoryTable(preview.candidates, { colors: colorsFor(), width, now: Date.now() }))
    const count =
      preview.count === 0
        ? 'No matching memories'
        : `Would forget ${countOf(preview.count, 'memory', 'memories')}`
    printNote(colorsFor(process.stderr).dim(`${count}. No changes made.`))
    return preview
  }
}

/** Ink is loaded only here. @throws CliError `cancelled` if the user leaves. */
async function choose(input: {
  preview: ForgetPreview
  reason?: string
  force: boolean
  preselect: boolean
}) {
  const { chooseMemories } = await import('../cli/tui/forget/forget.js')
  const choice = await chooseMemories({ ...input, color: colorsFor().isColorSupported })
  if (!choice) throw cancelled()
  return { reason: choice.reason, chosen: choice.all ? undefined : choice.ids }
}

/** Returns the target from the arguments and flags of forget. @param agent the global `--agent`. */
function forgetTarget(
  ids: string[] | undefined,
  flags: Interfaces.InferredFlags<typeof forgetFlags>,
  agent: string | undefined,
): ForgetTarget {
  return {
    ids,
    query: flags.query,
    type: flags.type as ForgetTarget['type'],
    tags: flags.tags,
    who: flags.who,
    project: flags.project,
    scope: flags.scope,
    source_type: flags['source-type'],
    since: momentOf('--since', flags.since),
    until: momentOf('--until', flags.until),
    limit: flags.limit ?? (flags.query === undefined ? forgetBatch : undefined),
    agentId: agent,
  }
}
