/** Runs random transactions with and without a tracer: observable results must be equal, and the tracers' results must agree with them. */
import { type ForkName, rulesOf } from '../../../src/evm/forks.ts'
import { standardPrecompiles } from '../../../src/evm/precompiles/index.ts'
import { traceFactoryOf } from '../../../src/evm/tracers/create.ts'
import { createOutput } from '../../../src/evm/tracers/output.ts'
import { executeTransaction, type MessageResult } from '../../../src/evm/transition.ts'
import { encodeUint, formatHex, formatHex0x, fromKey } from '../../../src/primitives/bytes.ts'
import { createMemoryState } from './memory-state.ts'
import { CALLER, type Program, programOf } from './programs.ts'

const FORKS: readonly ForkName[] = [
  'Frontier',
  'Byzantium',
  'Istanbul',
  'Berlin',
  'Shanghai',
  'Cancun',
  'Osaka',
  'Osaka',
]
const RULES = new Map(FORKS.map((fork) => [fork, rulesOf(fork)]))
const FUNDS = 10n ** 20n
const COINBASE = encodeUint(0xc01bn, 20)
const GAS_PRICE = 10n
const INTRINSIC = 100_000n

const TRACERS: readonly (readonly [name: string, config?: object])[] = [
  ['', { enableMemory: true, enableReturnData: true }],
  ['', { disableStack: true, disableStorage: true, limit: 100 }],
  ['callTracer', { withLog: true }],
  ['callTracer', { onlyTopCall: true, withLog: true }],
  ['flatCallTracer'],
  ['prestateTracer'],
  ['prestateTracer', { diffMode: true }],
  ['4byteTracer'],
  ['muxTracer', { callTracer: {}, prestateTracer: { diffMode: true }, '4byteTracer': {} }],
  ['noopTracer'],
]

interface Run {
  readonly result: MessageResult
  /** The observable result. */
  readonly text: string
  readonly trace: unknown
}

interface Entry {
  readonly op: string
  readonly gas: number
  readonly gasCost: number
  readonly depth: number
  readonly error?: string
}

interface Frame {
  readonly gas: string
  readonly gasUsed: string
  readonly type: string
  readonly error?: string
  readonly output?: string
  readonly calls?: readonly Frame[]
  readonly logs?: readonly {
    readonly address: string
    readonly topics: readonly string[]
    readonly data: string
    readonly index: string
  }[]
}

/** Runs a program as a transaction. Every fourth one creates. */
function run(program: Program, tracer?: string, config?: object): Run {
  const rules = RULES.get(FORKS[program.seed % FORKS.length]!)!
  const state = createMemoryState()
  state.put(CALLER, { balanceWei: FUNDS, nonce: 1n })
  for (const { address, code, balanceWei } of program.contracts) {
    state.put(address, { nonce: 1n, balanceWei, code })
    for (let i = 1; i < program.presetSlots; i++)
      state.setStorage(address, encodeUint(BigInt(i), 32), encodeUint(BigInt(i), 32))
  }
  const chunks: Uint8Array[] = []
  const output = createOutput((chunk) => chunks.push(chunk))
  const trace =
    tracer === undefined
      ? undefined
      : traceFactoryOf(tracer)({
          config,
          context: { blockNumber: 1n },
          output,
          memoryBytes: 1 << 28,
          outputBytes: 1 << 22,
        })
  const creates = program.seed % 4 === 3
  const [first] = program.contracts
  const result = executeTransaction(
    state,
    {
      type: 0,
      chainId: undefined,
      nonce: 1n,
      gasLimit: program.gas + INTRINSIC + 16n * BigInt(first!.code.length) * 16n,
      gasPriceWei: GAS_PRICE,
      to: creates ? undefined : program.to,
      valueWei: program.valueWei,
      data: creates ? first!.code : program.data,
    },
    CALLER,
    {
      rules,
      block: {
        number: 1000n,
        timestamp: 1_700_000_000n,
        coinbase: COINBASE,
        gasLimit: 1n << 40n,
        prevRandao: new Uint8Array(32).fill(7),
        difficulty: 3n,
        baseFee: 7n,
        blobBaseFee: 1n,
        chainId: 1n,
      },
      precompiles: standardPrecompiles(rules),
      optimiseAtCall: 1 + ((program.seed >> 3) & 1),
      ...(trace ? { tracer: trace.tracer } : {}),
    },
  )
  trace?.finish()
  output.flush()
  const text = Buffer.concat(chunks).toString('utf8')
  return { result, text: `${describe(result)}\n${accountsOf(state)}`, trace: trace ? JSON.parse(text) : undefined }
}

function describe({ success, error, gasUsed, output, logs }: MessageResult): string {
  const written = logs.map(
    ({ address, topics, data }) => `${formatHex(address)} ${topics.map(formatHex).join()} ${formatHex(data)}`,
  )
  return [success, error, gasUsed, formatHex(output), ...written].join('\n')
}

function accountsOf({ world }: ReturnType<typeof createMemoryState>): string {
  const lines = [...world.accounts].map(([key, { nonce, balanceWei, codeHash }]) => {
    const slots = [...(world.storage.get(key) ?? [])].map(
      ([slot, value]) => `${formatHex(fromKey(slot))}=${formatHex(value)}`,
    )
    return `${formatHex(fromKey(key))} ${nonce} ${balanceWei} ${formatHex(codeHash)} ${slots.sort().join()}`
  })
  return lines.sort().join('\n')
}

/** Returns the contradictions between a tracer's result and the result of the transaction. */
function complaint(tracer: string, config: object | undefined, { result, trace }: Run): string | undefined {
  if (tracer === '') return structComplaint(result, trace as never, config as { limit?: number })
  if (tracer === 'callTracer') return callComplaint(result, trace as Frame, config as { onlyTopCall?: boolean })
  if (tracer === 'flatCallTracer') {
    const [top] = trace as { error?: string; result?: { gasUsed: string } }[]
    if (top!.error !== result.error) return `flat error ${top!.error}`
    if (top!.result && BigInt(top!.result.gasUsed) !== result.gasUsed) return 'flat gas'
  }
  return undefined
}

function structComplaint(
  result: MessageResult,
  trace: { gas: number; failed: boolean; returnValue: string; structLogs: readonly Entry[] },
  { limit = 0 }: { limit?: number },
): string | undefined {
  const { gas, failed, returnValue, structLogs } = trace
  if (BigInt(gas) !== result.gasUsed || failed === result.success) return `struct totals ${gas} ${failed}`
  const returns = result.success || result.error === 'execution reverted'
  if (returnValue !== (returns ? formatHex(result.output) : '')) return `struct returns ${returnValue}`
  if (limit !== 0) return structLogs.length > limit ? 'more entries than the limit' : undefined
  for (let i = 0; i + 1 < structLogs.length; i++) {
    const [entry, next] = [structLogs[i]!, structLogs[i + 1]!]
    // The gas after a call or creation includes its unused gas.
    const isPlain = entry.depth === next.depth && !/CALL$|CALLCODE|CREATE/.test(entry.op)
    if (isPlain && entry.gas - entry.gasCost !== next.gas) return `gas behind entry ${i}, ${entry.op}`
    if (next.depth === entry.depth + 1 && entry.gas - entry.gasCost < 0) return `gas of entry ${i}`
    if (next.depth > entry.depth + 1) return `depth of entry ${i}`
  }
  return undefined
}

function callComplaint(
  result: MessageResult,
  top: Frame,
  { onlyTopCall }: { onlyTopCall?: boolean },
): string | undefined {
  if (top.error !== result.error) return `call error ${top.error}`
  if (BigInt(top.gasUsed) !== result.gasUsed) return `call gas ${top.gasUsed}`
  const returns = result.success || result.error === 'execution reverted'
  if ((top.output ?? '0x') !== (returns ? formatHex0x(result.output) : '0x')) return `call returns ${top.output}`
  if (onlyTopCall) return undefined
  const logs = logsOf(top).sort((a, b) => Number(BigInt(a.index) - BigInt(b.index)))
  const written = result.success ? result.logs : []
  const texts = written.map(
    ({ address, topics, data }) => `${formatHex0x(address)} ${topics.map(formatHex0x)} ${formatHex0x(data)}`,
  )
  const told = logs.map(({ address, topics, data }) => `${address} ${topics} ${data}`)
  if (told.join('\n') !== texts.join('\n')) return `logs ${told.join()} instead of ${texts.join()}`
  if (logs.some(({ index }, i) => Number(index) !== i)) return `numbers of logs ${logs.map(({ index }) => index)}`
  return frameComplaint(top)
}

const logsOf = ({ logs = [], calls = [] }: Frame): NonNullable<Frame['logs']>[number][] => [
  ...logs,
  ...calls.flatMap(logsOf),
]

/** Returns the first frame that uses more gas than it has, as text; undefined if there is no such frame. */
function frameComplaint(frame: Frame): string | undefined {
  if (BigInt(frame.gasUsed) > BigInt(frame.gas)) return `frame used ${frame.gasUsed} of ${frame.gas}`
  for (const call of frame.calls ?? []) {
    const found = frameComplaint(call)
    if (found) return found
  }
  return undefined
}

/** Returns the differences between traced and untraced runs of a range of seeds, each with its seed and tracer. */
export function traceDifferences(from: number, to: number): string[] {
  const found: string[] = []
  for (let seed = from; seed < to; seed++) {
    const program = programOf(seed)
    const unwatched = run(program)
    for (const [tracer, config] of TRACERS) {
      const watched = run(program, tracer, config)
      const where = `seed ${seed} ${tracer} ${JSON.stringify(config)}`
      if (watched.text !== unwatched.text) found.push(`${where}:\n${watched.text}\ninstead of\n${unwatched.text}`)
      const wrong = complaint(tracer, config, watched)
      if (wrong) found.push(`${where}: ${wrong}`)
    }
  }
  return found
}
