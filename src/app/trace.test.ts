import { expect, test } from 'vitest'
import { MsgSendSchema } from '../gen/sdk/bank/v1beta1/tx_pb.ts'
import { format } from '../identity/address.ts'
import { almanac } from '../identity/profiles/almanac.ts'
import { failureOf, NotExecutable } from '../primitives/errors.ts'
import { createJobs } from './jobs.ts'
import { testChain, testMessage } from './testing.ts'
import { withinBlock } from './trace.ts'

const GENESIS_NS = 1_704_067_200_000_000_000n

/** A chain at its first block, and its second one as it was recorded: a transfer, and bytes that no build decodes. */
function recorded(succeeded?: readonly boolean[]) {
  const chain = testChain()
  chain.block()
  const [from, to] = chain.accounts.map((address) => format({ identity: almanac }, address))
  const amount = [{ denom: 'unative', amount: '7' }]
  const transfer = chain.sign(0, [testMessage(MsgSendSchema, { fromAddress: from!, toAddress: to!, amount })])
  const input = {
    height: 2n,
    timeNs: GENESIS_NS + 2_000_000_000n,
    proposer: chain.validator,
    hash: new Uint8Array(32),
    lastCommitHash: new Uint8Array(32),
    txs: [transfer, Uint8Array.of(1, 2, 3)],
    lastCommitVotes: [],
    evidence: [],
    ...(succeeded && { succeeded }),
  }
  const again = () =>
    chain.app.traceBlock(chain.read(), input, { shouldStop: () => false, before: () => undefined, after() {} })
  const behind = () =>
    withinBlock(
      chain.app,
      chain.read(),
      input,
      () => false,
      () => undefined,
    )
  return { chain, again, behind }
}

test('a block runs again if each transaction does as on the chain', () => {
  expect(recorded().again).not.toThrow()
  expect(recorded([true, false]).again).not.toThrow()
})

test('the state behind a transaction that only another build can run is refused with its name', () => {
  expect(recorded([true, true]).again).not.toThrow()
  const refused = failureOf(recorded([true, true]).behind)
  expect(refused?.status).toBe('unimplemented')
  expect(refused?.message).toMatch(
    /^transaction 1 of block 2, 039058C6F2C0CB492C533B0A4D14EF77CC0F78ABCCCED5287D84A1A2011CFB81, succeeded on the chain and fails here: /,
  )
  expect(failureOf(recorded([false, false]).again)?.message).toMatch(
    /^transaction 0 of block 2, [0-9A-F]{64}, succeeds here and failed on the chain$/,
  )
})

test('a job that reaches a step of another build refuses with the reason', () => {
  const { app } = recorded().chain
  const jobs = createJobs({
    ...app,
    simulate() {
      throw new NotExecutable('it runs the Wasm contract c')
    },
  })
  const refused = failureOf(() => jobs['simulate']!({} as never, { tx: new Uint8Array() } as never, {} as never))
  expect(refused).toMatchObject({ status: 'unimplemented', message: 'it runs the Wasm contract c' })
})
