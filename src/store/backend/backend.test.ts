import { backendContract } from '../testing/backend-contract.ts'
import { openMemory } from './memory.ts'

backendContract('memory', { open: openMemory, reopen: undefined, clean() {} })
