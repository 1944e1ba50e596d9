import { AppError } from '../../../contract/ground/errors.js'
import * as contract from '../../../contract/knowledge/code.js'
import type { Caller } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { route } from '../../platform/http/bind.js'
import { staysHere, throwNamingOthers } from '../../platform/nodes/held-work.js'
import { findProject, nameProject, type ProjectRequest } from './find-project.js'
import { projectsOf } from './projects.js'
import type { Answer, Question, QuestionArgs } from './read/questions.js'
import { movedMemories } from './ties/tie-pass.js'

interface Input {
  caller: Caller
  query: { project?: string | undefined }
  headers: { 'x-service-cwd'?: string | undefined }
}

export const routes = [
  route(contract.codeStatus, async (daemon, input) => {
    const root = await find(daemon, input.caller, projectRequestOf(input))
    const status = await projectsOf(daemon).status(root)
    const stays = status.indexed ? undefined : await staysHere(daemon)
    return stays ? { ...status, stays } : status
  }),
  route(contract.codeSearch, (daemon, input) => {
    const { query, top, file, debug } = input.query
    return ask(daemon, input, 'search', { query, top, file, debug })
  }),
  route(contract.codeContext, (daemon, input) => ask(daemon, input, 'context', input.query.symbol)),
  route(contract.codeBlast, (daemon, input) => {
    const { symbol, depth, direction } = input.query
    return ask(daemon, input, 'blast', { symbol, depth, direction })
  }),
  route(contract.codeConstants, (daemon, input) =>
    ask(daemon, input, 'constants', { query: input.query.query, top: input.query.top }),
  ),
  route(contract.codeBriefing, (daemon, input) =>
    ask(daemon, input, 'briefing', { compact: input.query.compact }),
  ),
  route(contract.codeDoctor, (daemon, input) => ask(daemon, input, 'doctor')),
  route(contract.codeMoved, (daemon, { caller, query }) => movedMemories(daemon, caller, query)),
  route(contract.codeIndex, async (daemon, { caller, body: { project, full, named }, headers }) => {
    const root =
      named && project !== undefined
        ? await nameProject(daemon, caller, project)
        : await find(daemon, caller, { project, cwd: headers['x-service-cwd'] })
    return { jobId: await projectsOf(daemon).queue(root, { full, named }), project: root }
  }),
  route(contract.codeCancel, async (daemon, { caller, body: { project }, headers }) => {
    const root = await find(daemon, caller, { project, cwd: headers['x-service-cwd'] })
    return { project: root, cancelled: await projectsOf(daemon).cancel(root) }
  }),
  route(contract.codeClear, async (daemon, { caller, body: { project, confirm }, headers }) => {
    if (confirm !== true)
      throw new AppError(
        'confirm_required',
        'the index is deleted without a backup: send "confirm": true to proceed',
      )
    const root = await find(daemon, caller, { project, cwd: headers['x-service-cwd'] })
    const clearing = projectsOf(daemon).clear(root)
    return {
      project: root,
      cleared: await clearing.catch(error => throwNamingOthers(daemon, error, ['not_indexed'])),
    }
  }),
]

async function ask<Name extends Question>(
  daemon: Daemon,
  input: Input,
  name: Name,
  ...args: QuestionArgs<Name>
): Promise<Answer<Name>> {
  const root = await find(daemon, input.caller, projectRequestOf(input))
  const answer = projectsOf(daemon).ask(name, root, ...args)
  return answer.catch(error => throwNamingOthers(daemon, error, ['not_indexed']))
}

/** `findProject`; another daemon of a team may have a folder that is not here. */
function find(daemon: Daemon, caller: Caller, asked: ProjectRequest): Promise<string> {
  const found = findProject(daemon, caller, asked)
  return found.catch(error => throwNamingOthers(daemon, error, ['not_found', 'forbidden_project']))
}

function projectRequestOf({ query, headers }: Input): ProjectRequest {
  return { project: query.project, cwd: headers['x-service-cwd'] }
}
