/** The accounts that the calls of stored blocks name. Blocks are executed again for them, so the newest answers are remembered. */
import type { StoredBlock } from '../../../app/records.ts'
import type { BlockIndex } from '../../../indexer/types.ts'
import { toKey } from '../../../primitives/bytes.ts'
import { cachePerObject } from '../../../primitives/cache.ts'
import type { RpcCall } from '../method.ts'
import { viewValues } from '../views.ts'

/** Accounts as `0x` text, by the index of their transaction in the block. */
type Participants = ReadonlyMap<number, ReadonlySet<string>>

/** Accounts that are remembered. Beyond: the block that was asked for longest ago is executed again when needed. */
const MAX_ACCOUNTS = 200_000
/** Size of the accounts of one block as JSON. Beyond: an error; 60 million gas call at most 23,000 accounts. */
const MAX_BYTES = 16 << 20

interface Remembered {
  readonly participants: Participants
  readonly accounts: number
}

/** Creates the memory of a node. A block is known by its hash, so that none survives a rollback. */
function createMemory() {
  const blocks = new Map<string, Remembered>()
  let accounts = 0
  return {
    get(key: string): Participants | undefined {
      const found = blocks.get(key)
      if (!found) return undefined
      blocks.delete(key)
      blocks.set(key, found)
      return found.participants
    },
    set(key: string, participants: Participants) {
      let size = 1
      for (const set of participants.values()) size += set.size
      accounts += size - (blocks.get(key)?.accounts ?? 0)
      blocks.delete(key)
      blocks.set(key, { participants, accounts: size })
      for (const [oldest, { accounts: freed }] of blocks) {
        if (accounts <= MAX_ACCOUNTS) break
        blocks.delete(oldest)
        accounts -= freed
      }
    },
  }
}

const memoryOf = cachePerObject((_: BlockIndex) => createMemory())

/** Returns the accounts that the calls of each transaction name. Rejects as `viewValues`. */
export async function participantsOf(
  call: Pick<RpcCall, 'node' | 'signal'>,
  block: StoredBlock,
  timeoutMs: number,
): Promise<Participants> {
  const memory = memoryOf(call.node.blocks)
  const key = toKey(block.hash)
  const known = memory.get(key)
  if (known) return known
  const limits = { timeoutMs, mostBytes: MAX_BYTES }
  const values = await viewValues(call, block, undefined, { kind: 'participants' }, limits)
  const participants = new Map(
    values.map((value) => {
      const [index, ...accounts] = JSON.parse(value) as [number, ...string[]]
      return [index, new Set(accounts)] as const
    }),
  )
  memory.set(key, participants)
  return participants
}
