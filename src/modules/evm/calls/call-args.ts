/** Arguments of calls and estimates, read from JSON. Errors have geth's texts. */
import type { AccessList, Authorization } from '../../../evm/transaction/types.ts'
import { formatHex0x } from '../../../primitives/bytes.ts'
import { queryError } from '../../../primitives/errors.ts'
import { cannotUnmarshal, jsonKind, readAddress, readBytes, readHash, readObject, readQuantity } from './hex-json.ts'

/** A call or an incomplete transaction; plain data that can be sent to a worker. */
export interface CallArgs {
  readonly from: Uint8Array | undefined
  /** Undefined for a creation. */
  readonly to: Uint8Array | undefined
  readonly gas: bigint | undefined
  readonly gasPriceWei: bigint | undefined
  readonly maxFeePerGasWei: bigint | undefined
  readonly maxPriorityFeePerGasWei: bigint | undefined
  readonly valueWei: bigint | undefined
  readonly nonce: bigint | undefined
  readonly data: Uint8Array | undefined
  readonly input: Uint8Array | undefined
  readonly accessList: AccessList | undefined
  readonly authorizations: readonly Authorization[] | undefined
  readonly chainId: bigint | undefined
  /** Whether a member requests a blob transaction, which this chain does not support. */
  readonly blobs: boolean
}

const STRUCT = 'TransactionArgs'

function reader(object: Readonly<Record<string, unknown>>, struct: string) {
  const present = (key: string): unknown => object[key] ?? undefined
  const field = (key: string): string => `${struct}.${key}`
  const read = <T>(key: string, parse: (value: unknown, field: string) => T): T | undefined => {
    const value = present(key)
    return value === undefined ? undefined : parse(value, field(key))
  }
  return {
    read,
    address: (key: string) => read(key, readAddress),
    big: (key: string) => read(key, (value, at) => readQuantity(value, { type: '*hexutil.Big', field: at })),
    uint64: (key: string) => read(key, (value, at) => readQuantity(value, { type: 'hexutil.Uint64', field: at }, 64)),
    bytes: (key: string) => read(key, (value, at) => readBytes(value, { type: 'hexutil.Bytes', field: at })),
    hash: (key: string) => read(key, readHash),
  }
}

function readList<T>(value: unknown, field: string, type: string, item: (value: unknown) => T): readonly T[] {
  if (!Array.isArray(value)) throw cannotUnmarshal(jsonKind(value), { type, field })
  return value.map(item)
}

function readAccessList(value: unknown, field: string): AccessList {
  return readList(value, field, 'types.AccessList', (item) => {
    const entry = readObject(item, { type: 'types.AccessTuple', field })
    return {
      address: readAddress(entry['address'], 'AccessTuple.address'),
      storageKeys: readList(entry['storageKeys'] ?? [], field, '[]common.Hash', (key) =>
        readHash(key, 'AccessTuple.storageKeys'),
      ),
    }
  })
}

function readAuthorizations(value: unknown, field: string): readonly Authorization[] {
  return readList(value, field, '[]types.SetCodeAuthorization', (item) => {
    const entry = reader(readObject(item, { type: 'types.SetCodeAuthorization', field }), 'SetCodeAuthorization')
    const parity = entry.uint64('yParity') ?? entry.uint64('v') ?? 0n
    return {
      chainId: entry.big('chainId') ?? 0n,
      address: readAddress(readObject(item, { type: 'types.SetCodeAuthorization' })['address']),
      nonce: entry.uint64('nonce') ?? 0n,
      yParity: parity > 255n ? 255 : Number(parity),
      r: entry.big('r') ?? 0n,
      s: entry.big('s') ?? 0n,
    }
  })
}

/** Reads the arguments of `eth_call` and similar methods. Ignores unknown members. Throws `invalidArgument`. */
export function readCallArgs(value: unknown): CallArgs {
  const object = readObject(value, { type: `ethapi.${STRUCT}` })
  const args = reader(object, STRUCT)
  return {
    from: args.address('from'),
    to: args.address('to'),
    gas: args.uint64('gas'),
    gasPriceWei: args.big('gasPrice'),
    maxFeePerGasWei: args.big('maxFeePerGas'),
    maxPriorityFeePerGasWei: args.big('maxPriorityFeePerGas'),
    valueWei: args.big('value'),
    nonce: args.uint64('nonce'),
    data: args.bytes('data'),
    input: args.bytes('input'),
    accessList: args.read('accessList', readAccessList),
    authorizations: args.read('authorizationList', readAuthorizations),
    chainId: args.big('chainId'),
    blobs: (object['blobVersionedHashes'] ?? object['blobs'] ?? object['maxFeePerBlobGas'] ?? undefined) !== undefined,
  }
}

/** Override of one account's state in a call. */
export interface AccountOverride {
  readonly address: Uint8Array
  readonly nonce: bigint | undefined
  readonly code: Uint8Array | undefined
  readonly balanceWei: bigint | undefined
  /** Replaces the whole storage: other slots are zero. */
  readonly state: readonly StorageEntry[] | undefined
  /** Replaces single slots. */
  readonly stateDiff: readonly StorageEntry[] | undefined
  readonly movePrecompileTo: Uint8Array | undefined
}

interface StorageEntry {
  readonly slot: Uint8Array
  readonly value: Uint8Array
}

function readStorage(value: unknown, field: string): readonly StorageEntry[] {
  return Object.entries(readObject(value, { type: 'map[common.Hash]common.Hash', field })).map(([slot, word]) => ({
    slot: readHash(slot, field),
    value: readHash(word, field),
  }))
}

/** Reads the state override object: overrides by address. Throws `invalidArgument`. */
export function readStateOverrides(value: unknown): readonly AccountOverride[] {
  return Object.entries(readObject(value, { type: 'override.StateOverride' })).map(([text, item]) => {
    const address = readAddress(text)
    const account = reader(readObject(item, { type: 'override.OverrideAccount' }), 'OverrideAccount')
    const override = {
      address,
      nonce: account.uint64('nonce'),
      code: account.bytes('code'),
      balanceWei: account.big('balance'),
      state: account.read('state', readStorage),
      stateDiff: account.read('stateDiff', readStorage),
      movePrecompileTo: account.address('movePrecompileToAddress'),
    }
    if (override.state && override.stateDiff) {
      throw queryError('invalidArgument', `account ${formatHex0x(address)} has both 'state' and 'stateDiff'`)
    }
    return override
  })
}

/** Overrides of block values in a call. */
export interface BlockOverrides {
  readonly number: bigint | undefined
  /** Unit: seconds. */
  readonly time: bigint | undefined
  readonly gasLimit: bigint | undefined
  readonly feeRecipient: Uint8Array | undefined
  readonly prevRandao: Uint8Array | undefined
  readonly baseFeeWei: bigint | undefined
  readonly blobBaseFeeWei: bigint | undefined
}

/** Reads the block override object. Throws `invalidArgument`. */
export function readBlockOverrides(value: unknown): BlockOverrides {
  const fields = reader(readObject(value, { type: 'override.BlockOverrides' }), 'BlockOverrides')
  return {
    number: fields.big('number'),
    time: fields.uint64('time'),
    gasLimit: fields.uint64('gasLimit'),
    feeRecipient: fields.address('feeRecipient'),
    prevRandao: fields.hash('prevRandao'),
    baseFeeWei: fields.big('baseFeePerGas'),
    blobBaseFeeWei: fields.big('blobBaseFee'),
  }
}
