/** What `daemon status` tells of it. */
export interface Supervision {
  name: 'systemd' | 'launchd'
  unit: string
  file: string
  active: boolean
  /** The file is what this installation would write now. */
  current: boolean
}
