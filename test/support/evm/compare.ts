/** Runs one program on our EVM and on `@ethereumjs/evm` and describes every observable result of both as text. */
import { Common, Hardfork, Mainnet } from '@ethereumjs/common'
import { createEVM } from '@ethereumjs/evm'
import { SimpleStateManager } from '@ethereumjs/statemanager'
import { Account, type Address, createAddressFromString } from '@ethereumjs/util'
import { delegationTarget } from '../../../src/evm/delegation.ts'
import type { ForkName } from '../../../src/evm/forks.ts'
import { rulesOf } from '../../../src/evm/forks.ts'
import { createEvm } from '../../../src/evm/host.ts'
import { standardPrecompiles } from '../../../src/evm/precompiles/index.ts'
import type { EvmLog } from '../../../src/evm/state.ts'
import { encodeUint, equal, formatHex, formatHex0x, fromKey, ZERO_WORD } from '../../../src/primitives/bytes.ts'
import { createMemoryState } from './memory-state.ts'
import { CALLER, type Program, programOf } from './programs.ts'

const COINBASE = encodeUint(0xc01bn, 20)
const FUNDS = 10n ** 18n
const PREVRANDAO = new Uint8Array(32).fill(7)

type ComparedFork = Extract<ForkName, 'Berlin' | 'London' | 'Shanghai' | 'Cancun' | 'Prague' | 'Osaka'>

const HARDFORKS: Readonly<Record<ComparedFork, Hardfork>> = {
  Berlin: Hardfork.Berlin,
  London: Hardfork.London,
  Shanghai: Hardfork.Shanghai,
  Cancun: Hardfork.Cancun,
  Prague: Hardfork.Prague,
  Osaka: Hardfork.Osaka,
}

function describe(
  program: Program,
  success: boolean,
  gasUsed: bigint,
  refund: bigint,
  output: Uint8Array,
  logs: readonly EvmLog[],
  accounts: ReadonlyMap<string, string>,
): string {
  const lines = [
    `success ${success}`,
    `gas ${gasUsed}`,
    `refund ${success ? refund : 0n}`,
    `output ${formatHex0x(output)}`,
    ...logs.map(
      ({ address, topics, data }) =>
        `log ${formatHex0x(address)} ${topics.map(formatHex0x).join()} ${formatHex0x(data)}`,
    ),
    ...[...accounts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([address, text]) => `account ${address} ${text}`),
  ]
  return `seed ${program.seed}\n${lines.join('\n')}`
}

const accountText = (nonce: bigint, balance: bigint, codeHash: Uint8Array, slots: [string, string][]): string =>
  `${nonce} ${balance} ${formatHex0x(codeHash)} ${slots
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([slot, value]) => `${slot}=${value}`)
    .join()}`

const rulesByFork = new Map<ForkName, ReturnType<typeof rulesOf>>()

/** Returns the description of a program's run on our EVM. */
function runOurs(program: Program, fork: ComparedFork): string {
  const rules = rulesByFork.get(fork) ?? rulesOf(fork)
  rulesByFork.set(fork, rules)
  const state = createMemoryState()
  state.blockHash = () => ZERO_WORD
  state.put(CALLER, { balanceWei: FUNDS, nonce: 1n })
  for (const { address, code, balanceWei } of program.contracts) {
    state.put(address, { nonce: 1n, balanceWei, code })
    for (let i = 1; i < program.presetSlots; i++)
      state.setStorage(address, encodeUint(BigInt(i), 32), encodeUint(BigInt(i), 32))
  }
  const precompiles = standardPrecompiles(rules)
  const evm = createEvm({
    state,
    rules,
    block: {
      number: 1000n,
      timestamp: 1_700_000_000n,
      coinbase: COINBASE,
      gasLimit: 30_000_000n,
      prevRandao: PREVRANDAO,
      difficulty: 0n,
      baseFee: 7n,
      blobBaseFee: 1n,
      chainId: 1n,
    },
    tx: { origin: CALLER, gasPrice: 10n, blobHashes: [] },
    precompiles,
    // Half of the programs run in the fast loop at once, half in the careful one first.
    optimiseAtCall: 1 + ((program.seed >> 3) & 1),
  })
  const { to, valueWei, data, gas } = program
  for (const address of [CALLER, COINBASE, ...(to ? [to] : [])]) evm.journal.warmAddress(address)
  for (const key of precompiles.keys()) evm.journal.warmAddress(fromKey(key))
  // Finalise as a transaction does: `runCall` of the other side includes it.
  const delegate = to && rules.eips.has(7702) ? delegationTarget(evm.journal.code(to)) : undefined
  if (delegate) evm.journal.warmAddress(delegate)
  for (const { address, slots } of program.accessList) {
    evm.journal.warmAddress(address)
    for (const slot of slots) evm.journal.warmSlot(address, encodeUint(slot, 32))
  }
  const { success, gasLeft, output } = to
    ? evm.call({ caller: CALLER, to, valueWei, data, gas })
    : evm.create({ caller: CALLER, valueWei, initCode: data, gas, nonce: 0n })
  const refund = evm.journal.refund()
  const logs = [...evm.journal.logs()]
  evm.journal.finalise()
  const { world } = state
  const accounts = new Map<string, string>()
  for (const [key, { nonce, balanceWei, codeHash }] of world.accounts) {
    const slots = [...(world.storage.get(key) ?? [])].map(([slot, value]): [string, string] => [
      formatHex0x(fromKey(slot)),
      formatHex0x(value),
    ])
    accounts.set(formatHex0x(fromKey(key)), accountText(nonce, balanceWei, codeHash, slots))
  }
  return describe(program, success, gas - gasLeft, refund, output, logs, accounts)
}

const address = (bytes: Uint8Array): Address => createAddressFromString(formatHex0x(bytes))

async function makeTheirMachine(fork: ComparedFork) {
  const common = new Common({ chain: Mainnet, hardfork: HARDFORKS[fork] })
  const stateManager = new SimpleStateManager({ common })
  return { common, stateManager, evm: await createEVM({ common, stateManager }) }
}

const theirMachines = new Map<ComparedFork, ReturnType<typeof makeTheirMachine>>()

function theirMachine(fork: ComparedFork): ReturnType<typeof makeTheirMachine> {
  const made = theirMachines.get(fork) ?? makeTheirMachine(fork)
  theirMachines.set(fork, made)
  return made
}

/** Returns the description of a program's run on `@ethereumjs/evm`, including the end of the transaction. */
async function runTheirs(program: Program, fork: ComparedFork): Promise<string> {
  const { common, stateManager, evm } = await theirMachine(fork)
  stateManager.accountStack = [new Map()]
  stateManager.codeStack = [new Map()]
  stateManager.storageStack = [new Map()]
  stateManager.originalStorageCache.clear()
  evm.transientStorage.clear()
  evm.journal.cleanJournal()
  await stateManager.putAccount(address(CALLER), new Account(0n, FUNDS))
  for (const { address: bytes, code, balanceWei } of program.contracts) {
    await stateManager.putAccount(address(bytes), new Account(1n, balanceWei))
    await stateManager.putCode(address(bytes), code)
    for (let i = 1; i < program.presetSlots; i++) {
      await stateManager.putStorage(address(bytes), encodeUint(BigInt(i), 32), Uint8Array.of(i))
    }
  }
  for (const bytes of [CALLER, COINBASE, ...(program.to ? [program.to] : [])])
    evm.journal.addAlwaysWarmAddress(formatHex0x(bytes).slice(2) as `0x${string}`)
  for (const key of evm.precompiles.keys()) evm.journal.addAlwaysWarmAddress(key as `0x${string}`)
  for (const { address: bytes, slots: warm } of program.accessList) {
    evm.journal.addAlwaysWarmAddress(formatHex(bytes) as `0x${string}`)
    for (const slot of warm)
      evm.journal.addAlwaysWarmSlot(formatHex(bytes) as `0x${string}`, formatHex(encodeUint(slot, 32)) as `0x${string}`)
  }
  const block = {
    header: {
      number: 1000n,
      timestamp: 1_700_000_000n,
      coinbase: address(COINBASE),
      gasLimit: 30_000_000n,
      difficulty: 0n,
      prevRandao: PREVRANDAO,
      baseFeePerGas: 7n,
      slotNumber: 0n,
      cliqueSigner: () => address(COINBASE),
      getBlobGasPrice: () => 1n,
    },
  }
  await evm.journal.checkpoint()
  const { execResult } = await evm.runCall({
    caller: address(CALLER),
    ...(program.to && { to: address(program.to) }),
    data: program.data,
    value: program.valueWei,
    gasLimit: program.gas,
    gasPrice: 10n,
    block,
  })
  const destructed = execResult.selfdestruct ?? new Map()
  for (const key of destructed.keys()) {
    if (common.isActivatedEIP(6780) && !execResult.createdAddresses?.has(key)) continue
    await evm.journal.deleteAccount(createAddressFromString(key))
  }
  await evm.journal.commit()
  await evm.journal.cleanup()
  const accounts = new Map<string, string>()
  const slots = stateManager.storageStack.at(-1)!
  for (const [key, account] of stateManager.accountStack.at(-1)!) {
    if (!account) continue
    const own = [...slots].flatMap(([name, value]): [string, string][] => {
      if (!name.startsWith(key)) return []
      const padded = new Uint8Array(32)
      padded.set(value, 32 - value.length)
      return equal(padded, ZERO_WORD) ? [] : [[name.slice(key.length + 1), formatHex0x(padded)]]
    })
    accounts.set(key, accountText(account.nonce, account.balance, account.codeHash, own))
  }
  const logs = (execResult.logs ?? []).map(([bytes, topics, data]) => ({ address: bytes, topics, data }))
  return describe(
    program,
    execResult.exceptionError === undefined,
    execResult.executionGasUsed,
    execResult.gasRefund ?? 0n,
    execResult.returnValue,
    logs,
    accounts,
  )
}

const COMPARED: readonly ComparedFork[] = [
  'Berlin',
  'London',
  'Shanghai',
  'Cancun',
  'Prague',
  'Osaka',
  'Osaka',
  'Osaka',
]

/** Returns the seeds of a range whose programs differ on the two EVMs, with both descriptions. */
export async function differences(from: number, to: number): Promise<{ seed: number; ours: string; theirs: string }[]> {
  const found: { seed: number; ours: string; theirs: string }[] = []
  for (let seed = from; seed < to; seed++) {
    const program = programOf(seed)
    const fork = COMPARED[seed % COMPARED.length]!
    const ours = runOurs(program, fork)
    const theirs = await runTheirs(program, fork)
    if (ours !== theirs) found.push({ seed, ours, theirs })
  }
  return found
}
