/** Checks of an application that has executed a chain: it has every block, every transaction once, and every coin. */
import type { BlockHeader } from '../../src/app/records.ts'
import * as bank from '../../src/modules/bank/keeper.ts'
import * as slashing from '../../src/modules/slashing/state.ts'
import { equal, formatHex, fromKey, toKey } from '../../src/primitives/bytes.ts'
import { sha256 } from '../../src/primitives/hash.ts'
import { NATIVE } from '../simulation/messages.ts'
import { senders } from './genesis.ts'
import { Broken, type Ledger } from './ledger.ts'
import type { Node } from './node.ts'
import { type PlannedTx, sinkOf } from './transactions.ts'

/** Fields of a header that follow from the chain, whichever version of ABCI the engine has. */
const FIELDS = [
  ...['height', 'timeNs', 'chainId', 'dataHash', 'validatorsHash', 'nextValidatorsHash', 'consensusHash'],
  ...['appHash', 'lastResultsHash', 'proposer'],
] as const satisfies readonly string[]

const textOf = (value: unknown): string => (value instanceof Uint8Array ? formatHex(value) : String(value))

/** Compares the record of a node with the chain. Throws `Broken`. */
export function audit(node: Node, ledger: Ledger, planned: ReadonlyMap<string, PlannedTx>): void {
  const { executor } = node.process()!
  const fail = (text: string): never => {
    throw new Broken(`${node.name}: ${text}`)
  }
  const paid = new Map<number, bigint>()
  const succeeded = new Set<string>()
  for (let height = 1; height <= ledger.height(); height++) {
    const { header, id, txs } = ledger.block(height)
    const { codes } = ledger.outcome(height)!
    const found = executor.blocks.block(BigInt(height))
    if (!found) throw new Broken(`${node.name}: block ${height} is missing`)
    if (!equal(found.hash, id.hash)) fail(`block ${height} has another hash`)
    for (const field of FIELDS) {
      const [theirs, ours] = [header, found.header].map((one) => textOf(one[field as keyof BlockHeader]))
      if (theirs !== ours) fail(`${field} of header ${height} is ${ours}, and in the engine's ${theirs}`)
    }
    if (found.txs.length !== txs.length || !found.txs.every((tx, i) => equal(tx, txs[i]!))) {
      fail(`block ${height} has other transactions`)
    }
    for (const [index, tx] of txs.entries()) {
      const key = toKey(sha256(tx))
      const at = executor.blocks.tx(sha256(tx))
      if (codes[index] !== 0) {
        if (!at) fail(`transaction ${index} of block ${height} is not found`)
        continue
      }
      if (succeeded.has(key)) fail(`a transaction has succeeded twice, in block ${height} again`)
      succeeded.add(key)
      if (at?.height !== BigInt(height) || at.index !== index) {
        fail(`transaction ${index} of block ${height} is found at ${at?.height}/${at?.index}`)
      }
      const { sender, amount } = planned.get(key)!
      paid.set(sender.index, (paid.get(sender.index) ?? 0n) + amount)
    }
  }
  const absences = new Map<string, number>()
  const guilty = new Set<string>()
  for (let height = 1; height <= ledger.height(); height++) {
    const block = ledger.block(height)
    if (block.guilty) guilty.add(toKey(block.guilty.validator.address))
    for (const { validator, signed } of block.votes) {
      const key = toKey(validator.address)
      absences.set(key, (absences.get(key) ?? 0) + Number(!signed))
    }
  }
  executor.read((ctx) => {
    const missed = [...slashing.missed.keys(ctx)].map(([address]) => toKey(address))
    for (const [key, count] of absences) {
      const isGuilty = guilty.has(key)
      if (isGuilty !== slashing.signingInfos.get(ctx, fromKey(key))?.tombstoned) fail('evidence has another effect')
      const found = missed.filter((one) => one === key).length
      if (!isGuilty && found !== count) fail(`a validator has missed ${found} blocks, and ${count} in the engine's`)
    }
  })
  for (const sender of senders) {
    const has = executor.read((ctx) => bank.balance(ctx, sinkOf(sender), NATIVE))
    const due = paid.get(sender.index) ?? 0n
    if (has !== due) fail(`the sink of ${sender.name} has ${has} ${NATIVE}, and ${due} were sent`)
  }
}
