import { backendContract } from './contract.ts'
import { openMemory } from './memory.ts'

backendContract('memory', { open: openMemory, reopen: undefined, clean() {} })
