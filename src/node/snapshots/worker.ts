/** Entry point of a process that makes one snapshot, so that neither its work nor its memory disturbs the node. */
import { constants, setPriority } from 'node:os'
import { formatHex } from '../../primitives/bytes.ts'
import { makeSnapshot } from './home-snapshots.ts'
import type { FromSnapshotWorker, SnapshotJob } from './messages.ts'

const send = (message: FromSnapshotWorker): void => void process.send!(message)

// The threads that compress begin later, and inherit it.
setPriority(constants.priority.PRIORITY_LOW)
process.on('disconnect', () => process.exit(1))
// Signals reach the whole process group. The node says when this process must end.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})

process.once('message', ({ data, snapshots, stores, height }: SnapshotJob) => {
  makeSnapshot({ data, snapshots, stores, height: BigInt(height), onOpen: () => send({ kind: 'open' }) }).then(
    ({ record, appHash }) => {
      send({ kind: 'made', chunks: record.chunkHashes.length, appHash: formatHex(appHash) })
      process.disconnect()
    },
    (error: Error) => {
      send({ kind: 'failed', reason: error.message })
      process.disconnect()
    },
  )
})
