import * as contract from '../../../contract/operations/projects.js'
import { route } from '../../platform/http/bind.js'
import { adoptProjects } from './adopt-projects.js'
import {
  changeProject,
  forgetProject,
  joinProjects,
  splitProject,
  undoProjectChange,
} from './change-projects.js'
import { listProjects } from './list-projects.js'

export const routes = [
  route(contract.listProjects, (daemon, { caller, query }) => listProjects(daemon, caller, query)),
  route(contract.changeProject, (daemon, { caller, body }) => changeProject(daemon, caller, body)),
  route(contract.joinProjects, (daemon, { caller, body }) => joinProjects(daemon, caller, body)),
  route(contract.splitProject, (daemon, { caller, body }) => splitProject(daemon, caller, body)),
  route(contract.undoProjectChange, (daemon, { body }) => undoProjectChange(daemon, body.id)),
  route(contract.adoptProjects, (daemon, { caller, body }) => adoptProjects(daemon, caller, body)),
  route(contract.forgetProject, (daemon, { caller, body }) => forgetProject(daemon, caller, body)),
]
