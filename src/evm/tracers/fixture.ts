/** Tracer fixtures in the format of geth's tests: a state, a block, a signed transaction, and the tracer's result. */
import { padLeft, parseHex, ZERO_WORD } from '../../primitives/bytes.ts'
import { queryError } from '../../primitives/errors.ts'
import { EMPTY_CODE_HASH, keccak256 } from '../../primitives/hash.ts'
import { type Rules, rulesOf } from '../forks.ts'
import { standardPrecompiles } from '../precompiles/index.ts'
import { createMapState, type MapState } from '../statetest/state.ts'
import { blobBaseFee, GAS_PER_BLOB } from '../transaction/blob.ts'
import { decodeTransaction } from '../transaction/decode.ts'
import { recoverSender } from '../transaction/sender.ts'
import type { Transaction } from '../transaction/types.ts'
import { executeTransaction, type TransactionContext } from '../transition.ts'
import type { EvmBlockEnv } from '../types.ts'
import { forkAt } from './chain-config.ts'
import { createOutput } from './output.ts'
import type { TraceContext, TraceFactory } from './tracer.ts'

type Fields = Readonly<Record<string, unknown>>

export interface TracerFixture {
  readonly state: MapState
  readonly rules: Rules
  readonly block: EvmBlockEnv
  readonly transaction: Transaction
  readonly sender: Uint8Array
  readonly context: TraceContext
  readonly tracerConfig: unknown
}

const MEMORY_BYTES = 512 << 20

/** Reads a parsed fixture file. Throws `invalidArgument` that names the invalid field. */
export function parseTracerFixture(file: unknown): TracerFixture {
  const { genesis, context, input, tracerConfig } = objectOf(file, 'fixture')
  const genesisFields = objectOf(genesis, 'genesis')
  const config = objectOf(genesisFields['config'], 'genesis.config')
  const place = objectOf(context, 'context')
  const number = uintOf(place['number'], 'context.number')
  const timestamp = uintOf(place['timestamp'], 'context.timestamp')
  const isMerged =
    config['terminalTotalDifficulty'] !== undefined &&
    uintOf(config['terminalTotalDifficulty'], 'genesis.config.terminalTotalDifficulty') === 0n
  const fork = forkAt((name) => optionalUint(config[name], `genesis.config.${name}`), { number, timestamp, isMerged })
  const rules = rulesOf(fork)
  const block = blockOf(place, genesisFields, rules, optionalUint(config['chainId'], 'genesis.config.chainId') ?? 1n)
  const raw = bytesOf(input, 'input')
  const transaction = decodeTransaction(raw)
  return {
    state: stateOf(objectOf(genesisFields['alloc'], 'genesis.alloc')),
    rules,
    block,
    transaction,
    sender: recoverSender(transaction, { chainId: block.chainId, allowHighS: !rules.eips.has(2) }),
    context: { blockNumber: number, txHash: keccak256(raw), txIndex: 0 },
    tracerConfig,
  }
}

/** Runs the transaction of a fixture under a tracer. Returns the tracer's result as JSON text. Throws if the transaction is refused. */
export function runTracerFixture(fixture: TracerFixture, factory: TraceFactory, config = fixture.tracerConfig): string {
  const chunks: Uint8Array[] = []
  const output = createOutput((chunk) => chunks.push(chunk))
  const { state, rules, block, transaction, sender, context } = fixture
  const trace = factory({ config, context, output, memoryBytes: MEMORY_BYTES })
  const txContext: TransactionContext = {
    rules,
    block,
    precompiles: standardPrecompiles(rules),
    tracer: trace.tracer,
    shouldStop: trace.isFull,
  }
  executeTransaction(state, transaction, sender, txContext)
  trace.finish()
  output.flush()
  return Buffer.concat(chunks).toString('utf8')
}

function blockOf(context: Fields, genesis: Fields, rules: Rules, chainId: bigint): EvmBlockEnv {
  const { eips } = rules
  const uint = (name: string): bigint => optionalUint(context[name], `context.${name}`) ?? 0n
  return {
    number: uint('number'),
    timestamp: uint('timestamp'),
    coinbase: padLeft(bytesOf(context['miner'] ?? '0x', 'context.miner'), 20),
    gasLimit: uint('gasLimit'),
    difficulty: uint('difficulty'),
    prevRandao: padLeft(bytesOf(genesis['mixHash'] ?? '0x', 'genesis.mixHash'), 32),
    baseFee: eips.has(1559) ? uint('baseFeePerGas') : 0n,
    blobBaseFee: eips.has(4844) ? blobBaseFee(excessBlobGas(genesis, rules), rules) : 0n,
    chainId,
  }
}

/** Returns the excess blob gas of the block after the genesis block (EIP-4844, EIP-7691). */
function excessBlobGas(genesis: Fields, { eips }: Rules): bigint {
  const uint = (name: string): bigint => optionalUint(genesis[name], `genesis.${name}`) ?? 0n
  const target = (eips.has(7691) ? 6n : 3n) * GAS_PER_BLOB
  const excess = uint('excessBlobGas') + uint('blobGasUsed') - target
  return excess > 0n ? excess : 0n
}

function stateOf(alloc: Fields): MapState {
  const state = createMapState()
  for (const [key, value] of Object.entries(alloc)) {
    const where = `genesis.alloc.${key}`
    const account = objectOf(value, where)
    const address = bytesOf(key, where)
    if (address.length !== 20) throw wrong(where, 'is not an address')
    const code = bytesOf(account['code'] ?? '0x', `${where}.code`)
    const codeHash = code.length === 0 ? EMPTY_CODE_HASH : keccak256(code)
    state.setCode(codeHash, code)
    const nonce = optionalUint(account['nonce'], `${where}.nonce`) ?? 0n
    const balanceWei = optionalUint(account['balance'], `${where}.balance`) ?? 0n
    state.setAccount(address, { nonce, balanceWei, codeHash })
    for (const [slot, held] of Object.entries(objectOf(account['storage'] ?? {}, `${where}.storage`))) {
      const [name, word] = [slot, held].map((part) => padLeft(bytesOf(part, `${where}.storage`), 32)) as [
        Uint8Array,
        Uint8Array,
      ]
      if (word.some((byte, i) => byte !== ZERO_WORD[i])) state.setStorage(address, name, word)
    }
  }
  return state
}

function wrong(where: string, what: string): Error {
  return queryError('invalidArgument', `${where} ${what}`)
}

function objectOf(value: unknown, where: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong(where, 'is not an object')
  return value as Fields
}

function bytesOf(value: unknown, where: string): Uint8Array {
  const digits = typeof value === 'string' ? value.replace(/^0x/i, '') : undefined
  const bytes = digits === undefined ? undefined : parseHex(digits.length % 2 === 0 ? digits : `0${digits}`)
  if (!bytes) throw wrong(where, 'is not hexadecimal')
  return bytes
}

/** Reads a number: a JSON number, or text in decimal or, after `0x`, in hexadecimal. */
function uintOf(value: unknown, where: string): bigint {
  const isText = typeof value === 'string' && /^(0x[0-9a-f]+|[0-9]+)$/i.test(value)
  const isNumber = typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
  // Forks that are never activated have a time beyond the safe integers.
  const isLarge = typeof value === 'number' && value > Number.MAX_SAFE_INTEGER && Number.isFinite(value)
  if (!isText && !isNumber && !isLarge) throw wrong(where, 'is not a number')
  return BigInt(value as string | number)
}

function optionalUint(value: unknown, where: string): bigint | undefined {
  return value === undefined || value === null ? undefined : uintOf(value, where)
}
