/** Headers of Ethereum blocks in dumps. */
import { keccak256 } from '../../../../primitives/hash.ts'
import {
  type Field,
  fieldOf,
  isPresent,
  readAddressText,
  readHex,
  readUint,
} from '../../../../primitives/json-fields.ts'
import { encode, fromUint, type RlpItem } from '../../../../primitives/rlp.ts'

/** The fields that a loaded block keeps, and its hashes. */
export interface DumpedHeader {
  readonly number: bigint
  /** Unit: seconds. */
  readonly timestamp: bigint
  readonly parentHash: Uint8Array
  /** Hash of the encoded header. */
  readonly headerHash: Uint8Array
  /** Hash of the block: that of its header, unless the dump is of a chain such as this one. */
  readonly hash: Uint8Array
  /** Whether blocks and transactions of the dump state hashes of their own. */
  readonly hasOwnHash: boolean
  readonly coinbase: Uint8Array
  readonly prevRandao: Uint8Array
  readonly gasLimit: bigint
  readonly gasUsed: bigint
  readonly baseFeeWei: bigint
}

type Kind = 'word' | 'address' | 'bytes' | 'number'

/** The fields in the order of the encoding; later forks added the last ones, which can be absent. */
const FIELDS: readonly (readonly [name: string, kind: Kind, isLater?: boolean])[] = [
  ['parentHash', 'word'],
  ['sha3Uncles', 'word'],
  ['miner', 'address'],
  ['stateRoot', 'word'],
  ['transactionsRoot', 'word'],
  ['receiptsRoot', 'word'],
  ['logsBloom', 'bytes'],
  ['difficulty', 'number'],
  ['number', 'number'],
  ['gasLimit', 'number'],
  ['gasUsed', 'number'],
  ['timestamp', 'number'],
  ['extraData', 'bytes'],
  ['mixHash', 'word'],
  ['nonce', 'bytes'],
  ['baseFeePerGas', 'number', true],
  ['withdrawalsRoot', 'word', true],
  ['blobGasUsed', 'number', true],
  ['excessBlobGas', 'number', true],
  ['parentBeaconBlockRoot', 'word', true],
  ['requestsHash', 'word', true],
  ['blockAccessListHash', 'word', true],
  ['slotNumber', 'number', true],
]

function itemOf(field: Field, kind: Kind): RlpItem {
  if (kind === 'number') return fromUint(readUint(field, 256))
  if (kind === 'address') return readAddressText(field)
  return readHex(field, kind === 'word' ? 32 : undefined)
}

/** Reads a header. Throws `invalidArgument` with the path of a wrong field. */
export function readHeader(header: Field): DumpedHeader {
  const items = FIELDS.flatMap(([name, kind, isLater]) => {
    const field = fieldOf(header, name)
    return isLater && !isPresent(field) ? [] : [itemOf(field, kind)]
  })
  const number = (name: string, bits = 64) => readUint(fieldOf(header, name), bits)
  const headerHash = keccak256(encode(items))
  const ownHash = fieldOf(header, 'hash')
  const baseFee = fieldOf(header, 'baseFeePerGas')
  return {
    number: number('number', 63),
    timestamp: number('timestamp', 37),
    parentHash: readHex(fieldOf(header, 'parentHash'), 32),
    headerHash,
    hash: isPresent(ownHash) ? readHex(ownHash, 32) : headerHash,
    hasOwnHash: isPresent(ownHash),
    coinbase: readAddressText(fieldOf(header, 'miner')),
    prevRandao: readHex(fieldOf(header, 'mixHash'), 32),
    gasLimit: number('gasLimit', 63),
    gasUsed: number('gasUsed'),
    baseFeeWei: isPresent(baseFee) ? readUint(baseFee, 256) : 0n,
  }
}
