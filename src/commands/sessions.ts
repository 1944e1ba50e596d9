import SessionsList from './sessions/list.js'

export default class Sessions extends SessionsList {
  static override summary = 'List sessions, or those that used a file (--file).'
}
