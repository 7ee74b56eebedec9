/** The genesis file of geth (`genesis.json`) as the beginning of a development chain: `almanac dev --init FILE`. */
import { readAccount as readDumpedAccount } from '../../api/jsonrpc/development/state/accounts.ts'
import type { AccountDump, Amendment } from '../../modules/evm/keeper.ts'
import { configError } from '../../node/config.ts'
import { diskFiles, type Files } from '../../node/files.ts'
import { SETTINGS } from '../../node/settings.ts'
import {
  type Field,
  fieldError,
  fieldOf,
  fieldsOf,
  isPresent,
  readAddressText,
  readUint,
} from '../../primitives/json-fields.ts'
import { parseRequestJson } from '../../primitives/request-json.ts'

/** Genesis of a development chain, from a file. */
export interface GenesisFile {
  /** Values of settings by their flags: EVM chain id, gas limit, height of the first block. */
  readonly flags: Readonly<Record<string, string>>
  /** Unix seconds of the first block; undefined if the file does not say. */
  readonly timestamp: bigint | undefined
  readonly amendments: readonly Amendment[]
  readonly accounts: readonly AccountDump[]
}

const MAX_TIMESTAMP_BITS = 37

const orUndefined = <T>(field: Field, read: (field: Field) => T): T | undefined =>
  isPresent(field) ? read(field) : undefined

/** Reads a number of at most 53 bits, as settings have them. */
const readCount = (field: Field): string => readUint(field, 53).toString()

/** Reads an account like that of a dump. geth requires its balance. */
function readAccount(name: string, field: Field): AccountDump {
  readUint(fieldOf(field, 'balance'), 256)
  return readDumpedAccount(name, field)
}

function readFlags(root: Field): Record<string, string> {
  const { evmChainId, blockGasLimit, initialHeight } = SETTINGS.chain
  const chainId = fieldOf(root, 'config')
  const values = [
    [evmChainId.flag, isPresent(chainId) ? orUndefined(fieldOf(chainId, 'chainId'), readCount) : undefined],
    [blockGasLimit.flag, orUndefined(fieldOf(root, 'gasLimit'), readCount)],
    // Block 0 is genesis itself, so that the first block is block 1.
    [
      initialHeight.flag,
      orUndefined(fieldOf(root, 'number'), (number) => (readCount(number) === '0' ? '1' : readCount(number))),
    ],
  ] as const
  return Object.fromEntries(values.flatMap(([flag, value]) => (value === undefined ? [] : [[flag, value]])))
}

function readAmendments(root: Field): readonly Amendment[] {
  const baseFee = orUndefined(fieldOf(root, 'baseFeePerGas'), (field) => readUint(field, 128))
  const coinbase = orUndefined(fieldOf(root, 'coinbase'), readAddressText)
  return [
    ...(baseFee === undefined ? [] : [{ kind: 'baseFee', wei: baseFee } as const]),
    ...(coinbase?.some((byte) => byte > 0) ? [{ kind: 'coinbase', address: coinbase } as const] : []),
  ]
}

function parse(text: string): unknown {
  try {
    return parseRequestJson(text)
  } catch (error) {
    throw configError(`not JSON: ${(error as Error).message}`)
  }
}

/** Reads the text of a genesis file. Throws `invalidArgument` that names the field that is wrong. */
export function parseGenesisFile(text: string): GenesisFile {
  const root: Field = { value: parse(text), path: '' }
  const { value } = root
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw configError('not a JSON object')
  const alloc = fieldOf(root, 'alloc')
  if (!isPresent(alloc)) throw fieldError(alloc, 'an object of accounts by address')
  return {
    flags: readFlags(root),
    timestamp: orUndefined(fieldOf(root, 'timestamp'), (field) => readUint(field, MAX_TIMESTAMP_BITS)),
    amendments: readAmendments(root),
    accounts: fieldsOf(alloc).map(([name, field]) => readAccount(name, field)),
  }
}

/** Reads a genesis file. Throws `invalidArgument` with file and field. */
export function readGenesisFile(path: string, files: Files = diskFiles): GenesisFile {
  const text = files.read(path)
  if (text === undefined) {
    const why = files.exists(path) ? 'must be a file, and is a folder' : 'the file does not exist'
    throw configError(`--init ${path}: ${why}`)
  }
  try {
    return parseGenesisFile(text)
  } catch (error) {
    throw configError(`--init ${path}: ${(error as Error).message}`)
  }
}
