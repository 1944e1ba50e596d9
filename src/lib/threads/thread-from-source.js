// In Node 20 a worker thread does not inherit the process's loaders, so a thread from source registers tsx
// itself.
import { register } from 'tsx/esm/api'

register()
