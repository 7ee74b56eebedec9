import { expect, test } from 'vitest'
import { CALLER, CONTRACT, GAS, machine, OTHER, RETURN_TOP } from '../../test/support/evm/machine.ts'
import { decodeUint, EMPTY, encodeUint, equal, formatHex, hex, toKey } from '../primitives/bytes.ts'
import { keccak256 } from '../primitives/hash.ts'
import { create2Address, createAddress } from './contract-address.ts'
import type { CallResult, PrecompileContext, PurePrecompile, StatefulPrecompile } from './types.ts'

const OTHER_HEX = formatHex(OTHER)
const PRECOMPILE = encodeUint(0x800n, 20)
const PRECOMPILE_HEX = formatHex(PRECOMPILE)

/** Calls `to` with all gas and leaves success on the stack; opcode f1, f2 (with value) or f4, fa (without). */
const callCode = (opcode: string, to: string, value = 0): string =>
  `5f5f5f5f${opcode === 'f1' || opcode === 'f2' ? `60${value.toString(16).padStart(2, '0')}` : ''}73${to}5a${opcode}`

test('each kind of call has its own caller, value and storage', () => {
  // OTHER stores CALLER in slot 1, CALLVALUE in slot 2, ADDRESS in slot 3.
  const other = '33600155346002553060035500'
  const run = (opcode: string, value: number) => {
    const { evm, call } = machine({ code: `${callCode(opcode, OTHER_HEX, value)}50`, other })
    expect(call({ valueWei: 9n }).success).toBe(true)
    const read = (address: Uint8Array) =>
      [1n, 2n, 3n].map((slot) => decodeUint(evm.journal.storage(address, encodeUint(slot, 32))))
    return { own: read(CONTRACT), others: read(OTHER) }
  }
  const [caller, contract, other_] = [CALLER, CONTRACT, OTHER].map(decodeUint)
  expect(run('f1', 5)).toEqual({ own: [0n, 0n, 0n], others: [contract, 5n, other_] })
  expect(run('f2', 5)).toEqual({ own: [contract, 5n, contract], others: [0n, 0n, 0n] })
  expect(run('f4', 0)).toEqual({ own: [caller, 9n, contract], others: [0n, 0n, 0n] })
})

test('a call transfers its value, and a failed call returns it', () => {
  for (const [other, expected] of [
    ['00', 7n],
    ['5f5ffd', 0n],
    ['fe', 0n],
  ] as const) {
    const { evm, call } = machine({ code: `${callCode('f1', OTHER_HEX, 7)}${RETURN_TOP}`, other })
    call()
    expect(evm.journal.balance(OTHER)).toBe(expected)
    expect(evm.journal.balance(CONTRACT)).toBe(1000n - expected)
  }
})

test('a static call cannot write at any depth', () => {
  for (const other of ['60015f55', '60015f5d', '5f5fa0', '5f5f5ff0', '5fff', callCode('f1', formatHex(CALLER), 1)]) {
    const { output } = machine({ code: `${callCode('fa', OTHER_HEX)}${RETURN_TOP}`, other }).call()
    expect(decodeUint(output)).toBe(0n)
  }
  expect(machine({ code: '60015f55' }).call({ isStatic: true }).error).toBe('write protection')
})

test('a failed call consumes its gas, a revert returns it with its data', () => {
  const spent = machine({ code: `5f5f5f5f5f73${OTHER_HEX}620f4240f1`, other: 'fe' }).call()
  expect(GAS - spent.gasLeft).toBeGreaterThan(1_000_000n)
  const { output, gasLeft } = machine({
    code: `${callCode('f1', OTHER_HEX)}503d5f5f3e3d5ff3`,
    other: '602a5f5260205ffd',
  }).call()
  expect(decodeUint(output)).toBe(42n)
  expect(GAS - gasLeft).toBeLessThan(5_000n)
})

test('the 1,024th nested call is the last', () => {
  // Counts its depth in storage and calls itself with all gas.
  const code = `5f546001015f55${callCode('f1', formatHex(CONTRACT))}`
  const { evm, call } = machine({ code })
  expect(call({ gas: 10n ** 15n }).success).toBe(true)
  expect(decodeUint(evm.journal.storage(CONTRACT, new Uint8Array(32)))).toBe(1025n)
})

test('return data outlives the memory of its frame and belongs to the last call only', () => {
  const other = '3660005260205ff3'
  const { output } = machine({
    code: `${callCode('f1', OTHER_HEX)}50611000515f5f5f5f5f73${formatHex(CALLER)}5af1503d5f5260205ff3`,
    other,
  }).call()
  expect(decodeUint(output)).toBe(0n)
  // 200,000 bytes of return data: more than RETURN_DATA_SIZE.
  const large = machine({
    code: `${callCode('f1', OTHER_HEX)}50 60206202ff005f3e 60205ff3`.replaceAll(' ', ''),
    other: '602a6202ff0052 62030d405ff3'.replace(' ', ''),
  })
  expect(decodeUint(large.call().output)).toBe(42n)
})

test('contracts are created at the addresses of the CREATE and CREATE2 rules', () => {
  // From the text of EIP-1014, and the best known first contract of a nonce-0 account.
  expect(formatHex(create2Address(new Uint8Array(20), new Uint8Array(32), keccak256(hex('00'))))).toBe(
    '4d1a2e2bb4f88f0250f26ffff098b0b30b26bf38',
  )
  expect(formatHex(createAddress(hex('6ac7ea33f8831ea9dcc53393aaa88b25a785dbf0'), 0n))).toBe(
    'cd234a471b72ba2f1ccf0a70fcaba648a5eecd8d',
  )
  expect(formatHex(createAddress(hex('6ac7ea33f8831ea9dcc53393aaa88b25a785dbf0'), 1n))).toBe(
    '343c43a37d37dff08ae8c4a11544c718abb4fcf8',
  )
})

test('a creation deploys the code that its init code returns, and pays for it', () => {
  const { evm } = machine()
  const result = evm.create({ caller: CALLER, valueWei: 3n, initCode: hex('602a5f526001601ff3'), gas: 100_000n })
  expect(result).toMatchObject({ success: true, output: hex('2a') })
  expect(equal(result.address!, createAddress(CALLER, 0n))).toBe(true)
  expect(evm.journal.nonce(CALLER)).toBe(1n)
  expect(evm.journal.nonce(result.address!)).toBe(1n)
  expect(evm.journal.balance(result.address!)).toBe(3n)
  expect(100_000n - result.gasLeft).toBe(3n + 2n + 3n + 3n + 3n + 3n + 200n)
  expect(evm.journal.creations()).toEqual([{ address: result.address, creator: CALLER }])
})

test('a creation of invalid code fails', () => {
  const create = (initCode: string, gas = GAS) =>
    machine().evm.create({ caller: CALLER, valueWei: 0n, initCode: hex(initCode), gas })
  expect(create('60ef5f5360015ff3')).toMatchObject({ error: 'invalid code: must not begin with 0xef', gasLeft: 0n })
  expect(create('6160015ff3')).toMatchObject({ error: 'max code size exceeded', gasLeft: 0n })
  expect(create('6160005ff3').success).toBe(true)
  expect(create('60ff5ff3', 1000n)).toMatchObject({ error: 'contract creation code storage out of gas', gasLeft: 0n })
  const frontier = machine({ fork: 'Frontier' }).evm
  const poor = frontier.create({ caller: CALLER, valueWei: 0n, initCode: hex('60ff6000f3'), gas: 1000n })
  expect(poor.success).toBe(true)
  expect(frontier.journal.code(poor.address!)).toEqual(EMPTY)
})

test('a creation collides with code, a nonce, or storage', () => {
  const address = createAddress(CALLER, 0n)
  const create = (prepare: (state: ReturnType<typeof machine>['state']) => void) => {
    const { evm, state } = machine()
    prepare(state)
    return evm.create({ caller: CALLER, valueWei: 0n, initCode: hex('00'), gas: GAS })
  }
  const collision = { error: 'contract address collision', gasLeft: 0n }
  expect(create((state) => state.put(address, { code: hex('00') }))).toMatchObject(collision)
  expect(create((state) => state.put(address, { nonce: 1n }))).toMatchObject(collision)
  expect(
    create((state) => {
      state.put(address, { balanceWei: 1n })
      state.setStorage(address, new Uint8Array(32), encodeUint(1n, 32))
    }),
  ).toMatchObject(collision)
  expect(create((state) => state.put(address, { balanceWei: 1n })).success).toBe(true)
})

test("a delegated account runs its delegate's code on its own storage", () => {
  const { evm, state, call } = machine({ code: `ef0100${OTHER_HEX}`, other: '602a5f55' })
  expect(call().success).toBe(true)
  expect(decodeUint(evm.journal.storage(CONTRACT, new Uint8Array(32)))).toBe(42n)
  expect(state.account(OTHER)).toBeDefined()
  const before = machine({ fork: 'Cancun', code: `ef0100${OTHER_HEX}`, other: '602a5f55' }).call()
  expect(before.error).toBe('invalid opcode: opcode 0xef not defined')
})

test('SELFDESTRUCT deletes the account before Cancun, and later only one created in the same transaction', () => {
  const code = `73${OTHER_HEX}ff`
  const shanghai = machine({ fork: 'Shanghai', code })
  shanghai.call()
  shanghai.evm.journal.finalise()
  expect(shanghai.state.account(CONTRACT)).toBeUndefined()
  expect(shanghai.state.account(OTHER)?.balanceWei).toBe(1000n)
  const cancun = machine({ fork: 'Cancun', code })
  cancun.call()
  cancun.evm.journal.finalise()
  expect(cancun.state.account(CONTRACT)).toMatchObject({ balanceWei: 0n, nonce: 1n })
  const { evm, state } = machine({ fork: 'Cancun' })
  const { address } = evm.create({ caller: CALLER, valueWei: 5n, initCode: hex(code), gas: GAS })
  expect(evm.journal.creations()).toEqual([])
  evm.journal.finalise()
  expect(state.account(address!)).toBeUndefined()
  expect(state.account(OTHER)?.balanceWei).toBe(5n)
})

test('SSTORE has the prices and refunds of EIP-3529', () => {
  // From the tables of EIP-2200 and EIP-3529, slot warm: [code, original, gas, refund].
  const rows: readonly [string, bigint, bigint, bigint][] = [
    ['60006000556000600055', 0n, 212n, 0n],
    ['60006000556001600055', 0n, 20112n, 0n],
    ['60016000556000600055', 0n, 20112n, 19900n],
    ['60016000556002600055', 0n, 20112n, 0n],
    ['60006000556000600055', 1n, 3012n, 4800n],
    ['60006000556001600055', 1n, 3012n, 2800n],
    ['60026000556000600055', 1n, 3012n, 4800n],
    ['60026000556001600055', 1n, 3012n, 2800n],
    ['60016000556000600055', 1n, 3012n, 4800n],
  ]
  for (const [code, original, gas, refund] of rows) {
    const { evm, state, call } = machine({ fork: 'London', code })
    state.setStorage(CONTRACT, new Uint8Array(32), encodeUint(original, 32))
    evm.journal.warmSlot(CONTRACT, new Uint8Array(32))
    const { gasLeft } = call()
    expect([code, original, GAS - gasLeft, evm.journal.refund()]).toEqual([code, original, gas, refund])
  }
})

test('transient storage lives as long as the transaction and reverts with its frame', () => {
  const { evm, call } = machine({
    code: `${callCode('f1', OTHER_HEX)}505f5c${RETURN_TOP}`,
    other: '602a5f5d5f5c5f5260205ff3',
  })
  expect(decodeUint(call().output)).toBe(0n)
  expect(decodeUint(evm.call({ caller: CALLER, to: OTHER, valueWei: 0n, data: EMPTY, gas: GAS }).output)).toBe(42n)
  const reverting = machine({ code: '3615600a57602a5f5d5f5ffd5b5f5c5f5260205ff3' })
  expect(reverting.call({ data: hex('01') }).error).toBe('execution reverted')
  expect(decodeUint(reverting.call().output)).toBe(0n)
})

test('logs have their topics in order and are removed by a revert', () => {
  const { evm, call } = machine({ code: '600360026001602a5f5260205fa3 5f5ffa'.replace(' ', '') })
  call()
  expect(evm.journal.logs()).toEqual([])
  const kept = machine({ code: '600360026001602a5f5260205fa3' })
  kept.call()
  expect(kept.evm.journal.logs()).toEqual([
    { address: CONTRACT, topics: [1n, 2n, 3n].map((topic) => encodeUint(topic, 32)), data: encodeUint(42n, 32) },
  ])
})

test('an endless loop ends when shouldStop returns true, and is reverted', () => {
  let asked = 0
  const { evm, call } = machine({ code: '602a5f555b600456', shouldStop: () => ++asked > 5 })
  expect(call({ gas: 10n ** 18n })).toMatchObject({ success: false, stopped: true, error: 'execution aborted' })
  expect(asked).toBe(6)
  expect(decodeUint(evm.journal.storage(CONTRACT, new Uint8Array(32)))).toBe(0n)
})

test('any gas up to 2^64 - 1 is counted exactly', () => {
  const gas = (1n << 64n) - 1n
  expect(machine({ code: '5f50' }).call({ gas })).toMatchObject({ success: true, gasLeft: gas - 4n })
  expect(machine({ code: 'fe' }).call({ gas })).toMatchObject({ success: false, gasLeft: 0n })
})

test('calls of full depth and creations of 24 kB do not leak memory', () => {
  const deep = callCode('f1', formatHex(CONTRACT))
  const calls = machine({ code: deep })
  const creations = () => machine().evm.create({ caller: CALLER, valueWei: 0n, initCode: hex('6160005ff3'), gas: GAS })
  const round = (n: number) => {
    for (let i = 0; i < n; i++) {
      calls.call({ gas: 3_000_000n })
      creations()
    }
  }
  round(20)
  const before = process.memoryUsage()
  round(200)
  const after = process.memoryUsage()
  expect(after.arrayBuffers + after.external).toBeLessThan(before.arrayBuffers + before.external + (32 << 20))
})

/** Creates an EVM with a precompile of the chain at PRECOMPILE, called by CONTRACT. */
function withPrecompile(
  run: (context: PrecompileContext) => { success: boolean; gasUsed: bigint; output: Uint8Array },
  code: string,
  other?: string,
) {
  return machine({
    precompiles: new Map([[toKey(PRECOMPILE), { kind: 'stateful', run }]]),
    code,
    ...(other === undefined ? {} : { other }),
  })
}

test('a precompile of the chain sees the writes of the EVM, and the EVM sees its writes', () => {
  const { evm, call } = withPrecompile(
    ({ state, caller, valueWei }) => {
      const before = state.account(caller)!
      expect(before.balanceWei).toBe(1000n - 10n)
      expect(decodeUint(state.storage(caller, encodeUint(1n, 32)))).toBe(42n)
      state.setAccount(caller, { ...before, balanceWei: before.balanceWei + 5000n })
      return { success: true, gasUsed: 100n, output: encodeUint(valueWei, 32) }
    },
    `602a600155${callCode('f1', PRECOMPILE_HEX, 10)}5047${RETURN_TOP}`,
  )
  expect(decodeUint(call().output)).toBe(5990n)
  evm.journal.finalise()
})

test('writes of a precompile of the chain are dropped when an enclosing frame fails, at any depth', () => {
  // CONTRACT calls OTHER; OTHER calls the precompile and reverts; CONTRACT continues.
  const { evm, state, call } = withPrecompile(
    ({ state: inside, codeAddress }) => {
      inside.setAccount(CALLER, { ...inside.account(CALLER)!, balanceWei: 1n })
      inside.setStorage(codeAddress, new Uint8Array(32), encodeUint(7n, 32))
      return { success: true, gasUsed: 0n, output: EMPTY }
    },
    `602a600155${callCode('f1', OTHER_HEX)}${RETURN_TOP}`,
    `602b600155${callCode('f1', PRECOMPILE_HEX)}5f5ffd`,
  )
  expect(decodeUint(call().output)).toBe(0n)
  expect(evm.journal.balance(CALLER)).toBe(10n ** 18n)
  evm.journal.finalise()
  expect(state.account(CALLER)?.balanceWei).toBe(10n ** 18n)
  expect(state.hasStorage(PRECOMPILE)).toBe(false)
  expect(decodeUint(state.storage(CONTRACT, encodeUint(1n, 32)))).toBe(42n)
  expect(decodeUint(state.storage(OTHER, encodeUint(1n, 32)))).toBe(0n)
})

test('a failing precompile of the chain reverts its own writes and value', () => {
  for (const [error, keepsGas] of [
    ['execution reverted', true],
    ['precompile failed', false],
  ] as const) {
    const { evm, state, call } = withPrecompile(({ state: inside }) => {
      inside.setAccount(CALLER, undefined)
      return { success: false, gasUsed: 10n, output: hex('aa'), error }
    }, `5f5f5f5f600a73${PRECOMPILE_HEX}62030d40f1${RETURN_TOP}`)
    const result = call()
    expect(decodeUint(result.output)).toBe(0n)
    expect(GAS - result.gasLeft < 100_000n).toBe(keepsGas)
    expect(evm.journal.balance(CONTRACT)).toBe(1000n)
    evm.journal.finalise()
    expect(state.account(CALLER)).toBeDefined()
  }
})

test("a precompile of the chain can call back, and both sides see each other's writes", () => {
  // OTHER adds 1 to its slot 0 and returns it.
  let inner: CallResult | undefined
  const { evm, state, call } = withPrecompile(
    (context) => {
      inner = context.call({ caller: PRECOMPILE, to: OTHER, valueWei: 0n, data: EMPTY, gas: 100_000n })
      expect(decodeUint(context.state.storage(OTHER, new Uint8Array(32)))).toBe(6n)
      return { success: true, gasUsed: 100_000n - inner.gasLeft, output: inner.output }
    },
    `60055f5573${PRECOMPILE_HEX}5060205f5f5f5f73${PRECOMPILE_HEX}5af15060205ff3`,
    '5f546001018060005560005260205ff3',
  )
  state.setStorage(OTHER, new Uint8Array(32), encodeUint(5n, 32))
  expect(decodeUint(call().output)).toBe(6n)
  expect(inner?.success).toBe(true)
  evm.journal.finalise()
  expect(decodeUint(state.storage(OTHER, new Uint8Array(32)))).toBe(6n)
})

test('precompiles that call themselves through the EVM end at the nesting limit, not with a stack overflow', () => {
  let deepest = 0
  const { call } = withPrecompile(
    (context) => {
      deepest++
      const result = context.call({ caller: PRECOMPILE, to: CONTRACT, valueWei: 0n, data: EMPTY, gas: context.gas })
      return { success: result.success, gasUsed: context.gas - result.gasLeft, output: EMPTY }
    },
    callCode('f1', PRECOMPILE_HEX),
  )
  expect(call({ gas: 10n ** 15n }).success).toBe(true)
  expect(deepest).toBe(64)
})

test('an error thrown by a precompile is rethrown, and the interpreter stays usable', () => {
  const { evm, call } = withPrecompile(
    () => {
      throw new TypeError('a bug')
    },
    `602a5f55${callCode('f1', PRECOMPILE_HEX)}`,
  )
  expect(() => call()).toThrow('a bug')
  expect(decodeUint(evm.journal.storage(CONTRACT, new Uint8Array(32)))).toBe(0n)
  expect(machine({ code: '602a5f5260205ff3' }).call().success).toBe(true)
})

test('an execution inside a precompile, under other rules, does not disturb the outer one', () => {
  const { call } = withPrecompile(() => {
    const { output } = machine({ fork: 'London', code: '4460005260206000f3' }).call()
    return { success: true, gasUsed: 0n, output }
  }, `60205f5f5f5f73${PRECOMPILE_HEX}5af1505f51445f5260205260405ff3`)
  const { output } = call()
  expect(decodeUint(output.subarray(0, 32))).toBe(0xaaaan)
  expect(decodeUint(output.subarray(32, 64))).toBe(0xddddn)
})

/** Calls PRECOMPILE with 1,000 gas and 1 MiB of input, which begins with 2a. */
const LONG_CALL = `602a5f535f5f621000005f5f73${PRECOMPILE_HEX}6103e8f1`

test('a precompile reads its input in place, since long input costs the caller nothing', () => {
  const seen: { length: number; first: number | undefined; lent: number }[] = []
  const look = (input: Uint8Array): void => {
    seen.push({ length: input.length, first: input[0], lent: input.buffer.byteLength - input.length })
  }
  const precompile: PurePrecompile = {
    kind: 'pure',
    gas(input) {
      look(input)
      return 999n
    },
    run(input) {
      look(input)
      return input.slice(0, 1)
    },
  }
  const precompiles = new Map([[toKey(PRECOMPILE), precompile]])
  const { success, output } = machine({ precompiles, code: `${LONG_CALL}503d5f5f3e3d5ff3` }).call()
  expect([success, output]).toEqual([true, hex('2a')])
  expect(seen).toHaveLength(2)
  for (const { length, first, lent } of seen) {
    expect([length, first]).toEqual([1 << 20, 0x2a])
    // A copy would have a separate buffer.
    expect(lent).toBeGreaterThan(0)
  }
})

test('a precompile of the chain does not run for less than its price, and opens no branch', () => {
  let runs = 0
  let branches = 0
  let price = 1001n
  const precompile: StatefulPrecompile = {
    kind: 'stateful',
    gas: () => price,
    run() {
      runs++
      return { success: true, gasUsed: price, output: EMPTY }
    },
  }
  const precompiles = new Map([[toKey(PRECOMPILE), precompile]])
  const called = () => {
    const { state, call } = machine({ precompiles, code: `${LONG_CALL}5f5260205ff3` })
    const { branch } = state
    state.branch = () => {
      branches++
      branch()
    }
    return decodeUint(call().output)
  }
  expect([called(), runs, branches]).toEqual([0n, 0, 0])
  price = 1000n
  expect([called(), runs, branches]).toEqual([1n, 1, 1])
})
