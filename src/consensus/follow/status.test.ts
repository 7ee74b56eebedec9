/** The status of a replica: the height of its node. */
import { expect, test } from 'vitest'
import { createStatus } from './status.ts'

function statusAt(height: bigint) {
  let latest = { height, timeNs: 0n }
  const status = createStatus({
    latest: () => latest,
    streamed: () => undefined,
    verifies: true,
    confirmed: 0n,
    now: () => 0,
    onListenerFailure: () => undefined,
  })
  const tell = (nodeHeight: bigint) =>
    status.setTip({ chainId: 'test-1', height: nodeHeight, hash: new Uint8Array(32), timeNs: 0n, earliest: 1n })
  const follow = (to: bigint) => {
    latest = { height: to, timeNs: 0n }
    status.refresh()
  }
  const shown = () => [status.current().nodeHeight, status.current().lagBlocks]
  return { tell, follow, shown }
}

test('a block that is followed after the node told of its latest one is the latest of the node', () => {
  const { tell, follow, shown } = statusAt(3n)
  tell(4n)
  expect(shown()).toEqual([4n, 1n])
  follow(5n)
  expect(shown()).toEqual([5n, 0n])
})

test('a node that went back is behind the replica', () => {
  const { tell, shown } = statusAt(5n)
  tell(4n)
  expect(shown()).toEqual([4n, 0n])
})
