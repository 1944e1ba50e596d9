// Node 20 gives a worker thread none of the process's loaders, so that from source a thread registers tsx itself.
import { register } from 'tsx/esm/api'

register()
