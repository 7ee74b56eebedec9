/** Faults of a schedule: ends of processes and engines, disks that fail, and disks that are changed while a node is away. */
import { ALMANAC_STORES } from '../../src/app/stores.ts'
import { rollbackChain } from '../../src/consensus/rollback.ts'
import { openVersionedStore } from '../../src/store/versioned.ts'
import type { Dice } from './dice.ts'
import { createDisk, type Disk, type WriteFault } from './disk.ts'
import type { Node } from './node.ts'
import type { Dialect } from './requests.ts'

/** The calls that execute a block. */
const STEPS: Readonly<Record<Dialect, readonly string[]>> = {
  '1.0': ['beginBlock', 'deliverTx', 'endBlock', 'commit'],
  '2.0': ['finalizeBlock', 'commit'],
}

type Say = (line: string) => void

/** Sets a fault of a node: around one of its next calls, or at one of its next writes. */
export function armFault(node: Node, dice: Dice, say: Say): void {
  if (dice.chance(60)) {
    const kind = dice.chance(60) ? dice.pick(STEPS[node.dialect]) : undefined
    const fault = {
      who: dice.chance(55) ? ('application' as const) : ('engine' as const),
      when: dice.chance(50) ? ('before' as const) : ('after' as const),
      kind,
      calls: kind ? 0 : dice.below(12),
    }
    say(`${node.name}: the ${fault.who} will end ${fault.when} ${fault.kind ?? `call ${fault.calls}`}`)
    node.arm(fault)
    return
  }
  const fault = dice.pick<WriteFault>(['before', 'after', 'full'])
  const writes = dice.below(3)
  say(`${node.name}: fault "${fault}" at write ${writes}`)
  node.disk().arm(fault, writes)
}

/** Returns a function that changes the disks of a node that does not run: loss, backup, restored backup, rollback. */
export function createTampering(dice: Dice, say: Say): (node: Node) => Promise<void> {
  const backups = new Map<Node, { readonly disk: Disk; readonly height: number }>()
  return async (node) => {
    const height = node.committed()
    const kind = dice.below(4)
    if (kind === 0 && dice.chance(30)) {
      say(`${node.name} loses the disk of its application`)
      node.replaceDisk(createDisk(), 0)
    } else if (kind === 1) {
      // The process can have ended between a commit and its answer.
      const disk = node.disk().copy()
      const store = openVersionedStore(disk.mount().backend, ALMANAC_STORES)
      backups.set(node, { disk, height: Number(store.latestHeight()) })
      await store.close()
    } else if (kind === 2 && backups.has(node)) {
      const { disk, height: of } = backups.get(node)!
      if (of > node.stored()) return
      say(`${node.name} gets the backup of height ${of}`)
      node.replaceDisk(disk.copy(), of)
    } else if (kind === 3 && height > 1) {
      const to = 1 + dice.below(height - 1)
      const disk = node.disk().copy()
      const rolled = openVersionedStore(disk.mount().backend, ALMANAC_STORES)
      // Blocks of a replay that were not durable yet are gone already.
      const isLower = BigInt(to) < rolled.latestHeight()
      if (isLower) rollbackChain(rolled, BigInt(to))
      await rolled.close()
      if (!isLower) return
      say(`${node.name} and its engine are rolled back to height ${to}`)
      node.replaceDisk(disk, to)
      node.forget(to)
    }
  }
}
