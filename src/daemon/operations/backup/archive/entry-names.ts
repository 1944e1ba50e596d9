/** What an archive says of itself, its first entry. */
export const headerName = 'backup.json'
/** What must have come, its last. */
export const manifestName = 'manifest.json'
/** Before the path of every file of the workspace. */
export const prefix = 'workspace/'
